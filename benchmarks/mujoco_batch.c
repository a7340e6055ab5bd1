/* Many states through MuJoCo's inverse and forward dynamics, in one C loop; evaluation.py calls it.
 * States are rows of n doubles, as in easydyn's arrays with a leading axis. */
#include <mujoco/mujoco.h>
#include <string.h>

static void set(const mjModel *m, mjData *d, const double *q, const double *qd) {
    memcpy(d->qpos, q, m->nv * sizeof(double));
    memcpy(d->qvel, qd, m->nv * sizeof(double));
}

/* mj_inverse: the public inverse dynamics, which also factors the mass matrix and prepares constraints. */
void inverse(const mjModel *m, mjData *d, long states, const double *q, const double *qd, const double *qdd,
             double *f) {
    const size_t n = m->nv;
    for (long k = 0; k < states; ++k) {
        set(m, d, q + k * n, qd + k * n);
        memcpy(d->qacc, qdd + k * n, n * sizeof(double));
        mj_inverse(m, d);
        memcpy(f + k * n, d->qfrc_inverse, n * sizeof(double));
    }
}

/* mj_rne with no more than it needs. */
void newton_euler(const mjModel *m, mjData *d, long states, const double *q, const double *qd, const double *qdd,
                  double *f) {
    const size_t n = m->nv;
    for (long k = 0; k < states; ++k) {
        set(m, d, q + k * n, qd + k * n);
        memcpy(d->qacc, qdd + k * n, n * sizeof(double));
        mj_kinematics(m, d);
        mj_comPos(m, d);
        mj_comVel(m, d);
        mj_rne(m, d, 1, f + k * n);
    }
}

/* mj_forward: the public forward dynamics. */
void forward(const mjModel *m, mjData *d, long states, const double *q, const double *qd, double *qdd) {
    const size_t n = m->nv;
    for (long k = 0; k < states; ++k) {
        set(m, d, q + k * n, qd + k * n);
        mj_forward(m, d);
        memcpy(qdd + k * n, d->qacc, n * sizeof(double));
    }
}
