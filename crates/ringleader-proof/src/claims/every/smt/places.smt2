; The place j of the ring, and the reduction `places` of PROOFS.md.
(declare-const n Int)
(declare-const j Int)
(assert (and (>= n 3) (<= 0 j) (< j n)))
; Its offset in the segment, whether the segment is odd, and where the last segment begins.
(declare-const offset Int)
(declare-const odd Bool)
(declare-const L Int)
(define-fun begin () Int (- j offset))
(assert (and (<= 0 offset) (< offset psi) (or (= begin 0) (>= begin psi)) (=> (= begin 0) (not odd))))
(assert (and (or (= L 0) (>= L psi)) (< L n) (<= n (+ L psi))))
(assert (ite (< j L) (<= (+ begin psi) L) (<= L begin)))
; IDs and tokens are right up to here, which is the beginning of a segment: of the last one in S_PL.
(declare-const end Int)
(assert (ite (< j end) (<= (+ begin psi) end) (<= end begin)))
(define-fun next () Int (ite (= (+ j 1) n) 0 (+ j 1)))
(define-fun dist_j () Int (+ offset (ite odd psi 0)))
(define-fun dist_next () Int (ite (or (= next 0) (= (+ dist_j 1) (+ psi psi))) 0 (+ dist_j 1)))

; The bits, and whether all bits of a segment before a place are 1.
(declare-fun bits (Int) Bool)
(declare-fun ones (Int) Bool)
(assert (= (ones j) (or (= offset 0) (and (ones (- j 1)) (bits (- j 1))))))
(assert (ones 0))

(define-fun in_place ((u Agent) (k Int) (d Int)) Bool (and (= (leader u) (= k 0)) (= (dist u) d) (= (last u) (>= k L))))
(define-fun risky ((k Int) (z Token)) Bool (and (> L 0) (has z) (> (pos z) 0) (< (+ k (pos z)) psi)))
(define-fun brings ((z Token) (p Int)) Bool
  (and (= (bit z) (xor (bits p) (ones p))) (= (carry z) (and (bits p) (ones p)))))
(define-fun correct ((u Agent) (k Int) (z Token) (d Int)) Bool
  (=> (and (has z) (valid (dist u) z d))
    (let ((t (+ k (pos z))))
      (and (=> (and (> (pos z) 0) (<= psi t) (< t end)) (brings z (- t psi)))
           (=> (and (< (pos z) 0) (<= 0 t) (< t (- end psi))) (brings z (- t 1)))))))
(define-fun no_risky ((u Agent) (k Int)) Bool (not (or (risky k (black u)) (risky k (white u)))))
(define-fun tokens ((u Agent) (k Int)) Bool (and (correct u k (black u) 0) (correct u k (white u) psi)))

(declare-const u Agent)
(declare-const v Agent)
(declare-const detect Bool)
(define-fun after () Pair (interact u v detect))
(assert (and (in_domain (black u)) (in_domain (white u)) (in_domain (black v)) (in_domain (white v))))
(assert (and (= (bits j) (b u)) (= (bits next) (b v))))

(define-fun places () Bool (and (in_place u j dist_j) (in_place v next dist_next)))
(define-fun without_risky () Bool (and (no_risky u j) (no_risky v next)))
(define-fun with_correct () Bool (and (tokens u j) (tokens v next)))
(define-fun ids () Bool
  (=> (and (= next (+ j 1)) (<= psi next) (< next end)) (= (bits next) (xor (bits (- next psi)) (ones (- next psi))))))
(define-fun whole () Bool (= end L))
(define-fun begun () Bool (and (<= psi end) (<= end L) (not (created after))))
(define-fun right_after () Bool
  (let ((l (initiator after)) (r (responder after)))
    (and (in_place l j dist_j) (in_place r next dist_next) (no_risky l j) (no_risky r next) (tokens l j) (tokens r next)
         (= (b l) (b u)))))
(define-fun written_right () Bool (= (b (responder after)) (b v)))
(define-fun stays () Bool (and right_after written_right (not (created after))))
(define-fun stays_begun () Bool (and right_after (=> (< next end) written_right)))
