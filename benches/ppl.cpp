// The plain C++ simulator that Ringleader's benchmark is measured against.
//
// P_PL (Algorithms 1-5 of the paper) as a researcher would write it today: one int per variable,
// one interaction at a time, the edge drawn by the standard library. The numbers at the right are
// the paper's line numbers.
//
//   g++ -std=c++17 -O3 -march=native ppl.cpp -o ppl
//
//   ppl N PSI KAPPA STEPS SEED   runs STEPS interactions from the leaderless configuration in which
//                                every variable is 0, and prints how many seconds of the processor they took
//   ppl replay                   reads from standard input: n psi kappa, the n agents (17 integers
//                                each, in the order of `variables` below), the number of steps and
//                                the initiators' indices; prints the final agents, one per line

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <iostream>
#include <random>
#include <string>
#include <vector>

constexpr int CONSTRUCT = 0;
constexpr int DETECT = 1;

// A token: the relative position of its target, the bit b' and the carry b''. A position is never
// 0, so position 0 stands for "no token".
struct Token {
    int pos = 0;
    int bit = 0;
    int carry = 0;
};

constexpr Token BOTTOM{};

bool exists(const Token& token) { return token.pos != 0; }

struct Agent {
    int leader = 0;
    int b = 0;
    int dist = 0;
    int last = 0;
    Token token_b;
    Token token_w;
    int mode = CONSTRUCT;
    int clock = 0;
    int signal_r = 0;
    int hits = 0;
    int bullet = 0;
    int shield = 0;
    int signal_b = 0;
};

struct Ppl {
    int psi;
    int kappa;

    // Algorithm 1
    void interact(Agent& l, Agent& r) const {
        create_leader(l, r);                                                        // 1
        eliminate_leaders(l, r);                                                    // 2
    }

    // Algorithm 2
    void create_leader(Agent& l, Agent& r) const {
        determine_mode(l, r);                                                       // 3
        const int tmp = r.leader == 1 ? 0 : (l.dist + 1) % (2 * psi);               // 4
        if (r.mode == DETECT && tmp != r.dist) {                                    // 5
            become_leader(r);                                                       // 6
        }
        if (r.mode == CONSTRUCT) {                                                  // 7
            r.dist = tmp;                                                           // 8
        }
        if (r.leader == 1) {                                                        // 9
            l.last = 1;
        } else if (r.dist == 0 || r.dist == psi) {
            l.last = 0;
        } else {
            l.last = r.last;
        }
        move_token(l, r, l.token_b, r.token_b, 0);                                  // 10
        move_token(l, r, l.token_w, r.token_w, psi);                                // 11
    }

    static void become_leader(Agent& v) {
        v.leader = 1;
        v.bullet = 2;
        v.shield = 1;
        v.signal_b = 0;
    }

    // The macro Valid(v, d) of Algorithm 3
    bool valid(const Agent& v, const Token& token, int d) const {
        const int target = (v.dist + token.pos + d + 2 * psi) % (2 * psi);
        return token.pos > 0 ? target >= psi : target >= 1 && target < psi;
    }

    // Algorithm 3: lt and rt are l's and r's token of the colour in question
    void move_token(Agent& l, Agent& r, Token& lt, Token& rt, int d) const {
        if (exists(lt) && !valid(l, lt, d)) lt = BOTTOM;                            // 12
        if (exists(rt) && !valid(r, rt, d)) rt = BOTTOM;
        if (l.last == 0 && r.last == 0) {                                           // 13
            if (l.dist == d && !exists(lt)) {                                       // 14
                lt = {psi, 1 - l.b, l.b};                                           // 15
            }
            if (exists(lt) && exists(rt)) {                                         // 16
                lt = BOTTOM;                                                        // 17
            }
            if (lt.pos == 1) {                                                      // 18
                if (r.mode == DETECT && lt.bit != r.b) {                            // 19
                    become_leader(r);                                               // 20
                } else if (r.mode == CONSTRUCT) {                                   // 21
                    r.b = lt.bit;                                                   // 22
                }
                rt = {1 - psi, lt.bit, lt.carry};                                   // 23
                lt = BOTTOM;                                                        // 24
            } else if (lt.pos >= 2) {                                               // 25
                rt = {lt.pos - 1, lt.bit, lt.carry};                                // 26
                lt = BOTTOM;                                                        // 27
            } else if (rt.pos == -1) {                                              // 28
                lt = rt.carry == 1 ? Token{psi, 1 - l.b, l.b} : Token{psi, l.b, 0}; // 29
                rt = BOTTOM;                                                        // 30
            } else if (rt.pos <= -2) {                                              // 31
                lt = {rt.pos + 1, rt.bit, rt.carry};                                // 32
                rt = BOTTOM;                                                        // 33
            }
        }
    }

    // Algorithm 4
    void determine_mode(Agent& l, Agent& r) const {
        if (l.leader == 1) {                                                        // 34
            l.signal_r = kappa;                                                     // 35
        }
        l.hits = 0;                                                                 // 36
        r.hits = std::min(r.hits + 1, psi);                                         // 37
        if (l.signal_r > 0 || r.signal_r > 0) {                                     // 38
            l.clock = 0;                                                            // 39
            r.clock = 0;
            if (l.signal_r >= r.signal_r) {                                         // 40
                r.signal_r = l.signal_r;                                            // 41
                r.hits = 0;
            }
            l.signal_r = 0;                                                         // 42
            if (r.hits == psi) {                                                    // 43
                r.signal_r -= 1;                                                    // 44
                r.hits = 0;                                                         // 45
            }
        } else if (r.hits == psi) {                                                 // 46
            r.clock = std::min(r.clock + 1, kappa);                                 // 47
            r.hits = 0;                                                             // 48
        }
        for (Agent* v : {&l, &r}) {                                                 // 49
            v->mode = v->clock == kappa ? DETECT : CONSTRUCT;                       // 50
        }
    }

    // Algorithm 5
    static void eliminate_leaders(Agent& l, Agent& r) {
        if (l.leader == 1 && l.signal_b == 1) {                                     // 51
            l.bullet = 2;                                                           // 52
            l.shield = 1;
            l.signal_b = 0;
        }
        if (r.leader == 1 && r.signal_b == 1) {                                     // 53
            r.bullet = 1;                                                           // 54
            r.shield = 0;
            r.signal_b = 0;
        }
        if (l.bullet > 0) {                                                         // 55
            if (r.leader == 1) {                                                    // 56
                r.leader = l.bullet == 2 && r.shield == 0 ? 0 : 1;                  // 57
            } else {                                                                // 58
                r.bullet = r.bullet == 0 ? l.bullet : r.bullet;                     // 59
                r.signal_b = 0;                                                     // 60
            }
            l.bullet = 0;                                                           // 61
        }
        l.signal_b = std::max({l.signal_b, r.signal_b, r.leader});                  // 62
    }
};

// ---- The ring, input and output ----

[[noreturn]] void refuse(const std::string& why) {
    std::fprintf(stderr, "ppl: %s\n", why.c_str());
    std::fprintf(stderr, "usage: ppl N PSI KAPPA STEPS SEED\n       ppl replay < CASE\n");
    std::exit(2);
}

// An agent's variables in the order in which they are read, printed and summed.
std::array<int*, 17> variables(Agent& a) {
    return {&a.leader,        &a.b,           &a.dist,        &a.last,
            &a.token_b.pos,   &a.token_b.bit, &a.token_b.carry,
            &a.token_w.pos,   &a.token_w.bit, &a.token_w.carry,
            &a.mode,          &a.clock,       &a.signal_r,    &a.hits,
            &a.bullet,        &a.shield,      &a.signal_b};
}

void check_parameters(std::int64_t n, std::int64_t psi, std::int64_t kappa) {
    if (n < 3) refuse("a ring has at least 3 agents");
    if (psi < 2 || psi > 30) refuse("psi must be between 2 and 30");
    if (n > std::int64_t{1} << psi) refuse("psi is too small: 2^psi >= n is required");
    if (kappa < 1 || kappa > 1'000'000'000) refuse("kappa must be between 1 and 1000000000");
}

void interact(const Ppl& ppl, std::vector<Agent>& ring, int initiator) {
    const int n = static_cast<int>(ring.size());
    const int responder = initiator + 1 == n ? 0 : initiator + 1;
    ppl.interact(ring[initiator], ring[responder]);
}

int count_leaders(const std::vector<Agent>& ring) {
    return static_cast<int>(
        std::count_if(ring.begin(), ring.end(), [](const Agent& a) { return a.leader == 1; }));
}

// FNV-1a, one variable at a time.
std::uint64_t checksum(std::vector<Agent>& ring) {
    std::uint64_t sum = 0xcbf29ce484222325;
    for (Agent& a : ring) {
        for (const int* v : variables(a)) {
            sum = (sum ^ static_cast<std::uint32_t>(*v)) * 0x100000001b3;
        }
    }
    return sum;
}

template <class Integer>
Integer parse(const char* name, const char* text) {
    Integer value{};
    const char* end = text + std::strlen(text);
    const auto [stop, error] = std::from_chars(text, end, value);
    if (error != std::errc{} || stop != end) {
        refuse(std::string(name) + " is not a number in range: '" + text + "'");
    }
    return value;
}

int run(char** args) {
    const auto n = parse<int>("N", args[0]);
    const auto psi = parse<int>("PSI", args[1]);
    const auto kappa = parse<int>("KAPPA", args[2]);
    const auto steps = parse<std::int64_t>("STEPS", args[3]);
    const auto seed = parse<std::uint64_t>("SEED", args[4]);
    check_parameters(n, psi, kappa);
    if (steps < 0) refuse("STEPS must not be negative");

    const Ppl ppl{psi, kappa};
    std::vector<Agent> ring(n);
    std::mt19937_64 random(seed);
    std::uniform_int_distribution<int> edge(0, n - 1);

    const std::clock_t start = std::clock();
    for (std::int64_t t = 0; t < steps; ++t) {
        interact(ppl, ring, edge(random));
    }
    const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;

    std::printf("steps=%lld seconds=%.6f leaders=%d checksum=%016llx\n",
                static_cast<long long>(steps), seconds, count_leaders(ring),
                static_cast<unsigned long long>(checksum(ring)));
    return 0;
}

std::int64_t read(const char* what, std::int64_t low, std::int64_t high) {
    std::int64_t value = 0;
    if (!(std::cin >> value)) refuse(std::string("an integer is missing or malformed: ") + what);
    if (value < low || value > high) {
        refuse(std::string(what) + " is out of its domain: " + std::to_string(value));
    }
    return value;
}

Agent read_agent(const Ppl& ppl) {
    const int psi = ppl.psi;
    const int kappa = ppl.kappa;
    // The largest value of each variable; all but a token's position are at least 0.
    const std::array<int, 17> high = {1, 1, 2 * psi - 1, 1, psi, 1, 1, psi, 1, 1,
                                      1, kappa, kappa, psi, 2, 1, 1};
    Agent a;
    const auto all = variables(a);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const bool position = all[i] == &a.token_b.pos || all[i] == &a.token_w.pos;
        *all[i] = static_cast<int>(read("an agent's variable", position ? 1 - psi : 0, high[i]));
    }
    if (!exists(a.token_b)) a.token_b = BOTTOM;
    if (!exists(a.token_w)) a.token_w = BOTTOM;
    return a;
}

int replay() {
    const std::int64_t n = read("n", 0, INT32_MAX);
    const std::int64_t psi = read("psi", 0, INT32_MAX);
    const std::int64_t kappa = read("kappa", 0, INT32_MAX);
    check_parameters(n, psi, kappa);

    const Ppl ppl{static_cast<int>(psi), static_cast<int>(kappa)};
    std::vector<Agent> ring;
    for (std::int64_t i = 0; i < n; ++i) {
        ring.push_back(read_agent(ppl));
    }
    const std::int64_t steps = read("the number of steps", 0, INT64_MAX);
    for (std::int64_t t = 0; t < steps; ++t) {
        interact(ppl, ring, static_cast<int>(read("an initiator", 0, n - 1)));
    }
    if (std::cin >> std::ws; !std::cin.eof()) refuse("there is input after the last initiator");

    for (Agent& a : ring) {
        const char* separator = "";
        for (const int* v : variables(a)) {
            std::printf("%s%d", separator, *v);
            separator = " ";
        }
        std::printf("\n");
    }
    return 0;
}

int main(int argc, char** argv) {
    if (argc == 2 && std::strcmp(argv[1], "replay") == 0) return replay();
    if (argc == 6) return run(argv + 1);
    refuse("wrong arguments");
}
