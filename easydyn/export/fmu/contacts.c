// -- rigid contacts: impacts by Newton's law of restitution, all that touch at a time together -------------------------------

#define TOUCH 1e-9 // m, N
#define SOFTNESS 1e-8
#define LEFT 1e-7 // m/s: more is no rest
#define LEAP 1e-7 // m: by so much no gap falls below zero by the motion

typedef struct {
    double gap, rate, acceleration, restitution, beyond, gradient[COORDINATES];
} Measured;

static void measure(Instance *I, Measured *found)
{
    differentiate(I);
    gaps(I->t, I->q, I->qd, I->qdd, constants_of(I), (double *)found);
    for (int k = 0; k < GAPS; k++)
        if (found[k].beyond < -1e-11) found[k].gap = HUGE_VAL; // a branch of a gap where it does not count
}

static bool is_closed(const Instance *I, int k) { return I->p[gap_flag[k]] > 0; }

static void open_gap(Instance *I, int k) { set_parameter(I, gap_flag[k], 0.0); }

static void close_gap(Instance *I, int k, double mobility)
{
    set_parameter(I, gap_flag[k], 1.0);
    set_parameter(I, gap_soft[k], fmax(SOFTNESS*mobility, 1e-12));
}

// x of A x = b for n unknowns, rows of length GAPS + COORDINATES; A and b are lost.
static void eliminate(int n, double A[GAPS + COORDINATES][GAPS + COORDINATES], double *b)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
        for (int j = 0; j < n; j++) {
            const double kept = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = kept;
        }
        const double kept = b[k];
        b[k] = b[pivot];
        b[pivot] = kept;
        for (int i = k + 1; i < n; i++) {
            const double factor = A[i][k]/A[k][k];
            for (int j = k; j < n; j++) A[i][j] -= factor*A[k][j];
            b[i] -= factor*b[k];
        }
    }
    for (int i = n - 1; i >= 0; i--) {
        for (int j = i + 1; j < n; j++) b[i] -= A[i][j]*b[j];
        b[i] /= A[i][i];
    }
}

// carried[k] = M^-1 J_k', A = J M^-1 J' of some contacts.
static void mobility(Instance *I, int m, const int *which, const Measured *g,
                     double A[GAPS][GAPS], double carried[GAPS][COORDINATES])
{
    double all[COORDINATES*COORDINATES];
    own_masses(I->t, I->q, I->qd, I->qdd, constants_of(I), all);
    for (int k = 0; k < m; k++) {
        double M[GAPS + COORDINATES][GAPS + COORDINATES];
        for (int i = 0; i < COORDINATES; i++) {
            for (int j = 0; j < COORDINATES; j++) M[i][j] = all[COORDINATES*i + j];
            carried[k][i] = g[which[k]].gradient[i];
        }
        eliminate(COORDINATES, M, carried[k]);
    }
    for (int i = 0; i < m; i++)
        for (int k = 0; k < m; k++) {
            A[i][k] = 0.0;
            for (int j = 0; j < COORDINATES; j++) A[i][k] += g[which[i]].gradient[j]*carried[k][j];
        }
}

static void carried_by(int m, double A[GAPS][GAPS], const double *b, const bool *pushes, double *x)
{
    int rows[GAPS], n = 0;
    double part[GAPS + COORDINATES][GAPS + COORDINATES], right[GAPS + COORDINATES];
    for (int i = 0; i < m; i++) {
        x[i] = 0.0;
        if (pushes[i]) rows[n++] = i;
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) part[i][j] = A[rows[i]][rows[j]];
        right[i] = -b[rows[i]];
    }
    eliminate(n, part, right);
    for (int i = 0; i < n; i++) x[rows[i]] = right[i];
}

// x with A x + b >= 0, x >= 0, one of them zero in each row (both ways for all where `both`): after Lawson and Hanson.
static void pushing(int m, double A[GAPS][GAPS], const double *b, bool both, double *x)
{
    double soft[GAPS][GAPS], wanted[GAPS], largest = 0.0, size = 1e-300;
    bool pushes[GAPS];
    for (int i = 0; i < m; i++) {
        pushes[i] = both;
        x[i] = 0.0;
        size = fmax(size, fabs(b[i]));
        for (int j = 0; j < m; j++) largest = fmax(largest, fabs(A[i][j]));
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < m; j++) soft[i][j] = A[i][j] + (i == j ? SOFTNESS*largest : 0.0);
    for (int round = 0; round < 10*m + 10; round++) {
        carried_by(m, soft, b, pushes, wanted);
        for (;;) {
            double step = 1.0;
            bool falls = false;
            for (int i = 0; i < m; i++)
                if (pushes[i] && !both && wanted[i] < 0) {
                    falls = true;
                    step = fmin(step, x[i]/(x[i] - wanted[i]));
                }
            if (!falls) break;
            double most = 0.0;
            for (int i = 0; i < m; i++) {
                x[i] += step*(wanted[i] - x[i]);
                most = fmax(most, fabs(x[i]));
            }
            for (int i = 0; i < m; i++) pushes[i] = pushes[i] && x[i] > 1e-14*most;
            carried_by(m, soft, b, pushes, wanted);
        }
        int worst = -1;
        double lack = 1e-12*size;
        for (int i = 0; i < m; i++) {
            x[i] = wanted[i];
        }
        for (int i = 0; i < m; i++) {
            if (pushes[i]) continue;
            double missing = -b[i];
            for (int j = 0; j < m; j++) missing -= soft[i][j]*x[j];
            if (missing > lack) {
                lack = missing;
                worst = i;
            }
        }
        if (worst < 0) return;
        pushes[worst] = true;
    }
}

// New rates: contacts that `strike` separate at after[k], closed ones stand still; none pulls, unless `exactly`.
static void blow(Instance *I, const bool *strike, const double *after, bool exactly)
{
    Measured g[GAPS];
    int which[GAPS] = { 0 }, m = 0;
    double lacking[GAPS] = { 0 }, A[GAPS][GAPS], carried[GAPS][COORDINATES], P[GAPS];
    bool any = false;
    measure(I, g);
    for (int k = 0; k < GAPS; k++)
        if (strike[k] || is_closed(I, k)) {
            lacking[m] = g[k].rate - (strike[k] ? after[k] : 0.0);
            any = any || lacking[m] != 0.0;
            which[m++] = k;
        }
    if (!any) return;
    mobility(I, m, which, g, A, carried);
    pushing(m, A, lacking, exactly, P);
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < COORDINATES; j++) I->qd[j] += carried[i][j]*P[i];
        I->qd[gap_unknown[which[i]]] += P[i];
    }
    changed(I);
    for (int i = 0; i < m; i++) {
        double rate = lacking[i];
        for (int k = 0; k < m; k++) rate += A[i][k]*P[k];
        if (!strike[which[i]] && rate > 1e-12) open_gap(I, which[i]);
    }
}

// After a change of the state: what is closed stands still.
static void settle(Instance *I)
{
    const bool none[GAPS] = { false };
    const double after[GAPS] = { 0 };
    blow(I, none, after, false);
}

// Impacts of all open contacts that touch and approach, again until none does.
static void collide(Instance *I)
{
    bool strike[GAPS];
    double after[GAPS];
    for (int round = 0; round < 1000; round++) {
        Measured g[GAPS];
        bool any = false;
        measure(I, g);
        for (int k = 0; k < GAPS; k++) {
            strike[k] = !is_closed(I, k) && g[k].gap <= TOUCH && g[k].rate < -1e-12;
            after[k] = -fmin(fmax(g[k].restitution, 0.0), 1.0)*g[k].rate;
            any = any || strike[k];
        }
        if (!any) return;
        blow(I, strike, after, false);
    }
    memset(after, 0, sizeof after);
    blow(I, strike, after, false);
}

// Which open contacts touch, and fly for less than their time of rest. What leaves slowly and rises by nothing but what
// counts as zero does not fly; nor does what is brought back from a depth (m) below zero at each impact, and would go on
// for ever with the height that it gains.
static bool short_flights(Instance *I, double depth, bool *found)
{
    Measured g[GAPS];
    bool any = false;
    measure(I, g);
    for (int k = 0; k < GAPS; k++) {
        found[k] = false;
        if (is_closed(I, k) || g[k].gap > TOUCH || g[k].acceleration >= -1e-12) continue;
        const double rate = fmax(g[k].rate, 0.0), flight = 2*rate/-g[k].acceleration, e = g[k].restitution;
        const double least = rate <= LEFT ? TOUCH : depth/fmax(1 - e*e, LEFT);
        found[k] = (flight < gap_rest[k] || rate*flight <= 4*least) && (e < 1 || rate <= LEFT);
        any = any || found[k];
    }
    return any;
}

// Closes the contacts whose next impact would follow at once; those that then carry a force stay closed.
static void rest(Instance *I, double depth)
{
    bool was[GAPS], flights[GAPS], lifted[GAPS];
    const double zero[GAPS] = { 0 };
    for (int k = 0; k < GAPS; k++) was[k] = is_closed(I, k);
    if (!short_flights(I, depth, flights)) return;
    for (bool more = true; more;) {
        more = false;
        for (int turn = 0; turn < 2; turn++) blow(I, flights, zero, true); // the first one leaves its softness
        short_flights(I, depth, lifted);
        for (int k = 0; k < GAPS; k++)
            if (lifted[k] && !flights[k]) flights[k] = more = true;
    }
    Measured g[GAPS];
    int which[GAPS] = { 0 }, m = 0;
    double A[GAPS][GAPS], carried[GAPS][COORDINATES], b[GAPS] = { 0 }, force[GAPS];
    for (int k = 0; k < GAPS; k++)
        if (flights[k] || (was[k] && is_closed(I, k))) which[m++] = k;
    for (int i = 0; i < m; i++) open_gap(I, which[i]);
    measure(I, g);
    mobility(I, m, which, g, A, carried);
    for (int i = 0; i < m; i++) b[i] = g[which[i]].acceleration;
    pushing(m, A, b, false, force);
    for (int i = 0; i < m; i++)
        if (force[i] > 0) close_gap(I, which[i], A[i][i]);
}

// Where gaps bend or jump, in time or in space: what is closed and has a rate now flies, or strikes; nothing leaps.
static void bend_gaps(Instance *I)
{
    Measured g[GAPS];
    bool any = false;
    measure(I, g);
    for (int k = 0; k < GAPS; k++) {
        if (g[k].gap < -LEAP) I->broken = !failed(I, "The gap of %s leaps to %g m at t = %g s.", gap_name[k], g[k].gap, I->t);
        if (!is_closed(I, k) || fabs(g[k].rate) <= LEFT) continue;
        open_gap(I, k);
        any = true;
    }
    if (!any) return;
    collide(I);
    rest(I, 0.0);
}

// A gap that rounding, or the tolerance of the run, has left below zero, back to zero.
static void part(Instance *I, int k)
{
    (void)bend_gaps;  // where no gap bends, nobody calls it
    for (int round = 0; round < 3; round++) {
        Measured g[GAPS];
        double A[GAPS][GAPS], carried[GAPS][COORDINATES];
        measure(I, g);
        if (g[k].gap >= 0) return;
        mobility(I, 1, &k, g, A, carried);
        for (int j = 0; j < COORDINATES; j++) I->q[j] -= carried[0][j]*g[k].gap/A[0][0];
        changed(I);
    }
}

// What happens where the indicator of contact k falls through zero: an impact, or its release.
//
// A gap that comes there while it opens, by the motion alone, has fallen in the interpolation of who makes the steps only:
// the hop is below his tolerance, and all that follow from it.
static void touch(Instance *I, int k)
{
    Measured g[GAPS];
    measure(I, g);
    part(I, k);
    if (is_closed(I, k)) {
        differentiate(I);
        if (I->qdd[gap_unknown[k]] <= TOUCH) open_gap(I, k);
        return;
    }
    collide(I);
    const bool unseen = !I->acted && g[k].rate > 0 && g[k].acceleration < 0;
    rest(I, unseen ? fmax(-g[k].gap, g[k].rate*g[k].rate/(-2*g[k].acceleration)) : -g[k].gap);
}

static bool first_touch(Instance *I)
{
    Measured g[GAPS];
    measure(I, g);
    for (int k = 0; k < GAPS; k++)
        if (g[k].gap < -TOUCH) return failed(I, "The gap of %s is %g m at the start.", gap_name[k], g[k].gap);
    collide(I);
    rest(I, 0.0);
    return true;
}

