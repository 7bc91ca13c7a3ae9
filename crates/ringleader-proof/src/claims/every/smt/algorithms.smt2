; Algorithms 2 and 3 on two neighbours, for every psi. What is left out: the war, and how modes come about; r may be in either mode.
(set-logic ALL)
(declare-const psi Int)
(assert (>= psi 2))

(declare-datatypes ((Token 0)) (((token (has Bool) (pos Int) (bit Bool) (carry Bool)))))
(declare-datatypes ((Agent 0)) (((agent (leader Bool) (dist Int) (last Bool) (b Bool) (black Token) (white Token)))))
(declare-datatypes ((Moved 0)) (((moved (left Token) (right Token) (written Bool) (flaw Bool)))))
(declare-datatypes ((Pair 0)) (((pair (initiator Agent) (responder Agent) (created Bool)))))
(define-fun none () Token (token false 1 false false))

; Valid(v, d)
(define-fun valid ((v Int) (z Token) (d Int)) Bool
  (let ((s (+ v (pos z) d)))
  (let ((t (ite (< s 0) (+ s psi psi) (ite (>= s (+ psi psi)) (- s psi psi) s))))
    (ite (> (pos z) 0) (>= t psi) (and (< 0 t) (< t psi))))))

; MoveToken, Lines 12-33, for one colour, where r.b is rb
(define-fun move ((l Agent) (r Agent) (lz Token) (rz Token) (d Int) (rb Bool) (detect Bool)) Moved
  (let ((l0 (ite (and (has lz) (valid (dist l) lz d)) lz none))                                  ; 12
        (z (ite (and (has rz) (valid (dist r) rz d)) rz none)))
  (ite (or (last l) (last r)) (moved l0 z rb false)                                              ; 13
  (let ((l1 (ite (and (= (dist l) d) (not (has l0))) (token true psi (not (b l)) (b l)) l0)))    ; 14-15
  (let ((y (ite (and (has l1) (has z)) none l1)))                                                ; 16-17
  (ite (and (has y) (= (pos y) 1))                                                               ; 18
    (moved none (token true (- 1 psi) (bit y) (carry y))                                         ; 23-24
      (ite detect rb (bit y)) (and detect (not (= (bit y) rb))))                                 ; 19-22
  (ite (and (has y) (>= (pos y) 2))                                                              ; 25
    (moved none (token true (- (pos y) 1) (bit y) (carry y)) rb false)                           ; 26-27
  (ite (and (has z) (= (pos z) (- 1)))                                                           ; 28
    (moved (ite (carry z) (token true psi (not (b l)) (b l)) (token true psi (b l) false)) none rb false) ; 29-30
  (ite (and (has z) (<= (pos z) (- 2)))                                                          ; 31
    (moved (token true (+ (pos z) 1) (bit z) (carry z)) none rb false)                           ; 32-33
    (moved y z rb false))))))))))

; CreateLeader, Lines 4-11
(define-fun interact ((u Agent) (v Agent) (detect Bool)) Pair
  (let ((tmp (ite (or (leader v) (= (+ (dist u) 1) (+ psi psi))) 0 (+ (dist u) 1))))             ; 4
  (let ((wrong (and detect (not (= tmp (dist v))))) (dv (ite detect (dist v) tmp)))              ; 5-8
  (let ((lu (ite (or (leader v) wrong) true (ite (or (= dv 0) (= dv psi)) false (last v)))))     ; 9
  (let ((l (agent (leader u) (dist u) lu (b u) (black u) (white u)))
        (r (agent (or (leader v) wrong) dv (last v) (b v) (black v) (white v))))
  (let ((x (move l r (black l) (black r) 0 (b r) detect)))                                       ; 10
  (let ((y (move l r (white l) (white r) psi (written x) detect)))                               ; 11
    (pair (agent (leader l) (dist l) (last l) (b l) (left x) (left y))
          (agent (or (leader r) (flaw x) (flaw y)) (dist r) (last r) (written y) (right x) (right y))
          (or wrong (flaw x) (flaw y))))))))))

(define-fun in_domain ((z Token)) Bool (=> (has z) (and (<= (- 1 psi) (pos z)) (<= (pos z) psi) (not (= (pos z) 0)))))
