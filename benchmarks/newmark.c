/* The double pendulum of the paper and Newmark's method (beta 1/4, gamma 1/2), by hand in C; c_loop.py calls it.
 *
 * The algorithm is that of easydyn/sim, decision by decision: integration formulas (12, 13), residual (14), modified
 * Newton (15) with a numerical matrix (16, 18, 19) by DASSL's increments (20) that is kept while it serves,
 * accelerations predicted by their slope, rate of error and next length (21, 22). The residual is written out in closed
 * form, which a person would do for two rods and for hardly any more. Nothing is saved on the way.
 */
#include <float.h>
#include <math.h>

#define N 2
static const double BETA = 0.25, GAMMA = 0.5, ERROR_CONSTANT = 1.0 / 12;
static const double NEWTON_SHARE = 1e-3, SAFETY = 0.85, SMALLEST = 0.1, LARGEST = 1.5, SLOW = 0.1;
enum { MOST_ITERATIONS = 10 };

typedef struct { /* of the rods, multiplied out once */
    double inertia11, inertia12, inertia22, coupling, weight1, weight2;
} Pendulum;

typedef struct {
    Pendulum pendulum;
    double t, q[N], qd[N], qdd[N], slope[N], h;
    double inverse[N][N], contraction;
    int has_slope, has_inverse;
    long steps, rejected, iterations, jacobians, residuals;
} Run;

static double larger(double a, double b) { return a > b ? a : b; }
static double smaller(double a, double b) { return a < b ? a : b; }

static Pendulum pendulum(double l1, double l2, double m1, double m2, double g) {
    const double Izz1 = m1 * l1 * l1 / 12, Izz2 = m2 * l2 * l2 / 12;
    Pendulum p;
    p.coupling = m2 * l1 * l2 / 2;
    p.inertia22 = Izz2 + m2 * l2 * l2 / 4;
    p.inertia12 = p.inertia22;
    p.inertia11 = Izz1 + m1 * l1 * l1 / 4 + m2 * l1 * l1 + p.inertia22;
    p.weight1 = (m1 * l1 / 2 + m2 * l1) * g;
    p.weight2 = m2 * g * l2 / 2;
    return p;
}

static void residual(Run *run, const double *q, const double *qd, const double *qdd, double *f) {
    const Pendulum *p = &run->pendulum;
    const double c = p->coupling * cos(q[1]), s = p->coupling * sin(q[1]), w = p->weight2 * sin(q[0] + q[1]);
    f[0] = (p->inertia11 + 2 * c) * qdd[0] + (p->inertia12 + c) * qdd[1] - s * qd[1] * (2 * qd[0] + qd[1]) +
           p->weight1 * sin(q[0]) + w;
    f[1] = (p->inertia12 + c) * qdd[0] + p->inertia22 * qdd[1] + s * qd[0] * qd[0] + w;
    ++run->residuals;
}

static int invert(const double (*a)[N], double (*b)[N]) {
    const double determinant = a[0][0] * a[1][1] - a[0][1] * a[1][0];
    if (!(fabs(determinant) > 0) || !isfinite(determinant)) return 0;
    b[0][0] = a[1][1] / determinant, b[0][1] = -a[0][1] / determinant;
    b[1][0] = -a[1][0] / determinant, b[1][1] = a[0][0] / determinant;
    return 1;
}

static void multiply(const double (*a)[N], const double *x, double *y) {
    for (int i = 0; i < N; ++i) {
        y[i] = 0;
        for (int j = 0; j < N; ++j) y[i] += a[i][j] * x[j];
    }
}

static double mean_square_root(const double *x) {
    double sum = 0;
    for (int i = 0; i < N; ++i) sum += x[i] * x[i];
    return sqrt(sum) / sqrt((double)N);
}

/* Accelerations from the equations: Newton's method, exact in one step as the residual is linear in them. */
static int initial_accelerations(Run *run) {
    double f[N], M[N][N], inverse[N][N], step[N], shifted[N], g[N];
    for (int turn = 0; turn < 50; ++turn) {
        residual(run, run->q, run->qd, run->qdd, f);
        for (int j = 0; j < N; ++j) {
            const double size = larger(1, fabs(run->qdd[j]));
            for (int i = 0; i < N; ++i) shifted[i] = run->qdd[i];
            shifted[j] += size;
            residual(run, run->q, run->qd, shifted, g);
            for (int i = 0; i < N; ++i) M[i][j] = (g[i] - f[i]) / size;
        }
        if (!invert(M, inverse)) return 0;
        multiply(inverse, f, step);
        int done = 1;
        for (int i = 0; i < N; ++i) {
            run->qdd[i] -= step[i];
            if (!(fabs(step[i]) <= 1e-14 * fabs(run->qdd[i]))) done = 0;
        }
        if (done) break;
    }
    residual(run, run->q, run->qd, run->qdd, f);
    multiply(inverse, f, step);
    for (int i = 0; i < N; ++i) run->qdd[i] -= step[i];
    return 1;
}

/* (12), (13) */
static void integrate(const double *q_known, const double *qd_known, const double *x, double h, double *q, double *qd) {
    for (int i = 0; i < N; ++i) {
        q[i] = q_known[i] + BETA * h * h * x[i];
        qd[i] = qd_known[i] + GAMMA * h * x[i];
    }
}

/* (16), (18), (19), increments (20) */
static int iteration_matrix(Run *run, const double *q, const double *qd, const double *qdd, const double *f, double h) {
    double J[N][N], change[N], largest = 0;
    for (int i = 0; i < N; ++i) largest = larger(largest, fabs(f[i]));
    for (int j = 0; j < N; ++j) {
        const double position = larger(larger(fabs(h * qd[j]), fabs(q[j])), 1e-6 * (1 + fabs(q[j])));
        double e = (qd[j] < 0 ? -1 : 1) * sqrt(DBL_EPSILON) * larger(position / (BETA * h * h), 1e-3);
        for (int attempt = 0;; ++attempt) {
            double q_j[N], qd_j[N], qdd_j[N], size = 0;
            for (int i = 0; i < N; ++i) q_j[i] = q[i], qd_j[i] = qd[i], qdd_j[i] = qdd[i];
            q_j[j] += BETA * h * h * e;
            qd_j[j] += GAMMA * h * e;
            qdd_j[j] += e;
            residual(run, q_j, qd_j, qdd_j, change);
            for (int i = 0; i < N; ++i) {
                change[i] -= f[i];
                size = larger(size, fabs(change[i]));
            }
            if (!(size <= 1e4 * DBL_EPSILON * largest) || attempt == 3) break;
            e *= 1e4;
        }
        for (int i = 0; i < N; ++i) J[i][j] = change[i] / e;
    }
    ++run->jacobians;
    return invert(J, run->inverse);
}

/* One step of length h: 1 and the new state, or 0. */
static int attempt(Run *run, double h, double bound, double *q, double *qd, double *x) {
    double q_known[N], qd_known[N], f[N], delta[N];
    for (int i = 0; i < N; ++i) {
        q_known[i] = run->q[i] + h * run->qd[i] + (0.5 - BETA) * h * h * run->qdd[i];
        qd_known[i] = run->qd[i] + (1 - GAMMA) * h * run->qdd[i];
    }
    for (int fresh = 0;;) {
        double previous = 0;
        for (int i = 0; i < N; ++i) x[i] = run->qdd[i] + (run->has_slope ? h * run->slope[i] : 0);
        for (int iteration = 0; iteration < MOST_ITERATIONS; ++iteration) {
            integrate(q_known, qd_known, x, h, q, qd);
            residual(run, q, qd, x, f);
            ++run->iterations;
            if (!run->has_inverse) {
                if (!iteration_matrix(run, q, qd, x, f, h)) return 0;
                run->has_inverse = fresh = 1;
                run->contraction = 0;
            }
            multiply(run->inverse, f, delta);
            for (int i = 0; i < N; ++i) x[i] -= delta[i];
            const double now = GAMMA * h * mean_square_root(delta);
            if (!(now < INFINITY)) break;
            if (iteration) run->contraction = previous > 0 ? now / previous : 0;
            const double rate = run->contraction;
            int done = rate < 1 && now * larger(rate / (1 - rate), fresh ? 0.01 : 0.1) <= bound;
            if (!done && (iteration || now == 0)) {
                double level = 0, place = 0;
                integrate(q_known, qd_known, x, h, q, qd);
                for (int i = 0; i < N; ++i) {
                    level = larger(level, fabs(run->qd[i]) + fabs(qd[i]) + h * (fabs(run->qdd[i]) + fabs(x[i])));
                    place = larger(place, fabs(q[i]));
                }
                level *= DBL_EPSILON;
                done = now * rate <= level ||
                       (iteration > 1 && rate > 0.5 && now <= 32 * (level + DBL_EPSILON * place / h));
            }
            if (done) {
                if (rate > SLOW && iteration) run->has_inverse = 0;
                integrate(q_known, qd_known, x, h, q, qd);
                return 1;
            }
            if (iteration > 1 && rate > 0.9) break;
            previous = now;
        }
        run->has_inverse = 0;
        if (fresh) return 0;
    }
}

/* One step with an error below the tolerance (21, 22). */
static int controlled_step(Run *run, double end, double tolerance, double max_step) {
    for (;;) {
        const double remaining = end - run->t, wanted = smaller(run->h, max_step);
        const double h =
            remaining <= wanted * 1.001 ? remaining : smaller(wanted, larger(remaining / 2, wanted / 2));
        double q[N], qd[N], x[N], change[N];
        if (!attempt(run, h, smaller(NEWTON_SHARE, h) * tolerance, q, qd, x)) {
            ++run->rejected;
            run->h = h / 4;
        } else {
            for (int i = 0; i < N; ++i) change[i] = x[i] - run->qdd[i];
            const double error = ERROR_CONSTANT * h * mean_square_root(change);
            const double factor = SAFETY * sqrt(tolerance / larger(error, 1e-300));
            if (error <= tolerance) {
                for (int i = 0; i < N; ++i) {
                    run->slope[i] = change[i] / h;
                    run->q[i] = q[i], run->qd[i] = qd[i], run->qdd[i] = x[i];
                }
                run->has_slope = 1;
                run->t = h == remaining ? end : run->t + h;
                ++run->steps;
                run->h = larger(h < wanted ? wanted : 0, h * smaller(LARGEST, larger(SMALLEST, factor)));
                return 1;
            }
            ++run->rejected;
            run->h = h * larger(SMALLEST, smaller(factor, 0.9));
        }
        if (run->h < 4e-15 * larger(1, run->t)) return 0;
    }
}

/* rods: l1, l2, m1, m2, g. state: q, qd at the start; q, qd, qdd at the end. statistics: steps, rejected,
 * newton_iterations, jacobians, residuals. Returns 1, or 0 when the run had to be given up. */
int newmark(const double *rods, double t_final, double tolerance, double max_step, double *state, long *statistics) {
    Run run = {0};
    run.pendulum = pendulum(rods[0], rods[1], rods[2], rods[3], rods[4]);
    for (int i = 0; i < N; ++i) run.q[i] = state[i], run.qd[i] = state[N + i];
    int good = initial_accelerations(&run);
    double size = 0;
    for (int i = 0; i < N; ++i) size = larger(size, fabs(run.qdd[i]));
    run.h = smaller(smaller(max_step, t_final * 1e-3), size > 0 ? 100 * sqrt(tolerance) / size : INFINITY);
    while (good && run.t < t_final) good = controlled_step(&run, t_final, tolerance, max_step);
    for (int i = 0; i < N; ++i) state[i] = run.q[i], state[N + i] = run.qd[i], state[2 * N + i] = run.qdd[i];
    statistics[0] = run.steps, statistics[1] = run.rejected, statistics[2] = run.iterations;
    statistics[3] = run.jacobians, statistics[4] = run.residuals;
    return good;
}
