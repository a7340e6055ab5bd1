// {{title}}: the model of an FMU, written by easydyn {{version}}. SI units (m, kg, s, N), angles in radians.

#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN "{{token}}"
#define TOLERANCE {{tolerance}}

enum {
    {{sizes}}
};

typedef struct {
{{members}}
} Constants; // what depends on parameters, inputs and flags alone

{{helpers}}

{{prepare}}

{{routines}}

static const double initial_q[] = {
    {{initial_q}}
};
static const double initial_qd[] = {
    {{initial_qd}}
};
static const double initial_p[] = {
    {{initial_p}}
};
static const double nominal[] = { // sizes of continuous states; 0 for those whose errors do not rule the step
    {{nominal}}
};
static const struct {
    const char *name;
    int at[4]; // columns of three angles, place of their reference
    double start[7]; // a quaternion, scalar first, and the angular velocity in the axes of the parent
} attitudes[ATTITUDES + 1] = {
    {{attitudes}}
};
static const bool independent[] = { // coordinates that keep their values where loops are closed at the start
    {{independent}}
};
static const bool of_place[] = { // rows of constraints that restrict positions, not rates alone
    {{of_place}}
};
static const int start_places[] = { // in (q, qd), of what parameters determine at the start
    {{start_places}}
};

typedef struct {
    int direction; // -1 falling, 1 rising, 0 both
    double floor; // how far below zero is too far; 0 for no limit
} Watched;
static const Watched watched[INDICATORS + 1] = {
    {{watched}}
};
{{gaps}}

typedef struct {
    double next, sum, slope, time, error; // of a sampled controller
    long count;
    bool begun;
} Memory;

typedef struct {
    char name[200];
    void (*logger)(void);
    void *environment;
} Interface;

// What an FMU does with the model above, whatever the version of the interface: values, events, a method.
//
// The state is that of easydyn: q, qd of UNKNOWNS, of which the first COORDINATES are coordinates, then come first-order
// states, which stand in qd. Continuous states of the interface: coordinates, their rates, states without multipliers.

#define MOST_EVENTS 1000 // at one instant
#define MOST_STEPS 100000000L // of the method, between two communication points
#define LOOKS 8 // at indicators, in a step
#define BESIDE 1e-13 // by which an indicator has left its side
#define FARTHEST 0.8 // rad: the middle one of three angles, beyond which their reference is renewed after a step
#define LATEST 1.0 // rad: where a step of an importer is cut for that
#define ASTRAY 1e-8 // m, rad: a correction of what is closed that is worth an event

typedef struct {
    double t, q[UNKNOWNS], qd[UNKNOWNS], qdd[UNKNOWNS];
    double p[PARAMETERS + 1]; // parameters, inputs, references of attitudes, flags
    Constants constants;
    bool stale_constants, stale_accelerations;
    double side[INDICATORS + 1]; // of zero on which each indicator is: 1 above, -1 below, 0 not yet known
    double slack[INDICATORS + 1]; // how far it may be on the other one: where an event has left it at zero
    double looked_at, seen[INDICATORS + 1]; // when events were last handled (s), and what indicators were then
    bool done[INDICATORS + 1], acted; // events that have happened at that time; whether one of them has changed values
    bool stopped, broken; // an event has asked for the first; a gap has leapt
    double step, tolerance; // of the method
    Memory memory[SAMPLERS + 1]; // of sampled controllers
    double started; // s
    bool given[2*UNKNOWNS], given_attitude[ATTITUDES + 1]; // what the importer has set
    double attitude[ATTITUDES + 1][7]; // quaternion and angular velocity, as seen last or as they were set
    double sign[ATTITUDES + 1]; // of a quaternion, beside that of its angles
    char message[400]; // of the last failure
    Interface interface;
} Instance;

static bool failed(Instance *I, const char *format, ...)
{
    va_list words;
    va_start(words, format);
    vsnprintf(I->message, sizeof I->message, format, words);
    va_end(words);
    return false;
}

// -- values ------------------------------------------------------------------------------------------------------------

static void changed(Instance *I) { I->stale_accelerations = true; }

static const Constants *constants_of(Instance *I)
{
    if (I->stale_constants) {
        I->constants = prepare(I->p);
        I->stale_constants = false;
        changed(I);
    }
    return &I->constants;
}

static void differentiate(Instance *I)
{
    const Constants *constants = constants_of(I);
    if (I->stale_accelerations) {
        memset(I->qdd, 0, sizeof I->qdd);
        accelerations(I->t, I->q, I->qd, I->qdd, constants, I->qdd);
        I->stale_accelerations = false;
    }
}

static void set_parameter(Instance *I, int k, double value)
{
    if (I->p[k] != value) {
        I->p[k] = value;
        I->stale_constants = true;
    }
}

static void get_states(const Instance *I, double x[STATES + 1])
{
    for (int j = 0; j < COORDINATES; j++) {
        x[j] = I->q[j];
        x[COORDINATES + j] = I->qd[j];
    }
    for (int j = COORDINATES; j < UNKNOWNS - MULTIPLIERS; j++) x[COORDINATES + j] = I->qd[j];
}

static void set_states(Instance *I, const double x[STATES + 1])
{
    for (int j = 0; j < COORDINATES; j++) {
        I->q[j] = x[j];
        I->qd[j] = x[COORDINATES + j];
    }
    for (int j = COORDINATES; j < UNKNOWNS - MULTIPLIERS; j++) I->qd[j] = x[COORDINATES + j];
    changed(I);
}

static void get_derivatives(Instance *I, double dx[STATES + 1])
{
    differentiate(I);
    for (int j = 0; j < COORDINATES; j++) {
        dx[j] = I->qd[j];
        dx[COORDINATES + j] = I->qdd[j];
    }
    for (int j = COORDINATES; j < UNKNOWNS - MULTIPLIERS; j++) dx[COORDINATES + j] = I->qdd[j];
}

static void get_indicators(Instance *I, double z[INDICATORS + 1])
{
    differentiate(I);
    if (INDICATORS) indicators(I->t, I->q, I->qd, I->qdd, constants_of(I), z);
}

static bool is_finite(const double *x, int n)
{
    for (int j = 0; j < n; j++)
        if (!isfinite(x[j])) return false;
    return true;
}

// -- where constraints hold, and attitudes are regular --------------------------------------------------------------------

// Moves q and qd to where the constraints hold, as easydyn does after its steps; false where that is not near.
static bool close_loops(Instance *I)
{
    if (!MULTIPLIERS) return true;
    double corrections[2*UNKNOWNS], before = 0.0;
    for (int iteration = 0; iteration < 8; iteration++) {
        projection(I->t, I->q, I->qd, I->qdd, constants_of(I), corrections);
        double largest = 0.0, size = 1.0;
        for (int j = 0; j < COORDINATES; j++) {
            const double change = fabs(corrections[j]);
            if (!(change < 1.0)) return failed(I, "The loops cannot be closed at t = %g s.", I->t);
            largest = fmax(largest, change);
            size = fmax(size, fabs(I->q[j]));
        }
        for (int j = 0; j < COORDINATES; j++) I->q[j] += corrections[j];
        changed(I);
        if (largest <= 1e-13*size || (iteration > 1 && largest > before/2)) {
            if (largest > 1e-9*size) return failed(I, "The loops cannot be closed at t = %g s.", I->t);
            for (int j = 0; j < COORDINATES; j++) I->qd[j] += corrections[UNKNOWNS + j];
            return true;
        }
        before = largest;
    }
    return failed(I, "The loops cannot be closed at t = %g s.", I->t);
}

// Solves A x = b for n unknowns; the least pivot beside the largest.
static double solve_rows(int n, double A[MULTIPLIERS + 1][MULTIPLIERS + 1], double *b)
{
    double least = HUGE_VAL, largest = 0.0;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
        for (int j = 0; j < n; j++) {
            const double kept = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = kept;
        }
        const double kept = b[k], size = fabs(A[k][k]);
        b[k] = b[pivot];
        b[pivot] = kept;
        least = fmin(least, size);
        largest = fmax(largest, size);
        if (size == 0) return 0.0;
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
    return n ? least/largest : 1.0;
}

typedef struct {
    double values[MULTIPLIERS + 1], rates[MULTIPLIERS + 1], J[MULTIPLIERS + 1][COORDINATES + 1]; // gradients of rates
} Closing;

static void look_at_loops(Instance *I, Closing *found)
{
    double all[MULTIPLIERS*(2 + COORDINATES) + 1];
    closing(I->t, I->q, I->qd, I->qdd, constants_of(I), all);
    for (int k = 0; k < MULTIPLIERS; k++) {
        found->values[k] = all[k];
        found->rates[k] = all[MULTIPLIERS + k];
        for (int j = 0; j < COORDINATES; j++) found->J[k][j] = all[2*MULTIPLIERS + k*COORDINATES + j];
    }
}

// The least x with J x = -missing, of rows of places or of all, that does not move what is held; how regular it is.
static double least_change(const Closing *at, const double *missing, bool places, const bool *held, double *x)
{
    int rows[MULTIPLIERS + 1], n = 0;
    double N[MULTIPLIERS + 1][MULTIPLIERS + 1], y[MULTIPLIERS + 1] = { 0 };
    for (int k = 0; k < MULTIPLIERS; k++)
        if (!places || of_place[k]) rows[n++] = k;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            N[i][j] = 0.0;
            for (int c = 0; c < COORDINATES; c++)
                if (!held[c]) N[i][j] += at->J[rows[i]][c]*at->J[rows[j]][c];
        }
        y[i] = -missing[rows[i]];
    }
    const double regular = solve_rows(n, N, y);
    for (int c = 0; c < COORDINATES; c++) {
        x[c] = 0.0;
        for (int i = 0; i < n && !held[c]; i++) x[c] += at->J[rows[i]][c]*y[i];
    }
    return regular;
}

// What keeps its value: what the importer has given, unless that is too much, then the independent coordinates.
static void choose_held(const Closing *at, bool places, const bool *given, bool held[COORDINATES + 1])
{
    double x[COORDINATES + 1];
    int count = 0;
    for (int c = 0; c < COORDINATES; c++) count += given[c];
    for (int pass = count > COORDINATES - MULTIPLIERS; pass < 2; pass++)
        for (int c = 0; c < COORDINATES; c++) {
            if (held[c] || !(pass ? independent[c] : given[c])) continue;
            held[c] = true;
            held[c] = least_change(at, at->values, places, held, x) > 1e-9;
        }
}

// Closes the loops at the start, as easydyn assembles a mechanism.
static bool assemble(Instance *I)
{
    if (!MULTIPLIERS) return true;
    Closing at;
    double x[COORDINATES + 1];
    bool held[COORDINATES + 1] = { false }, still[COORDINATES + 1] = { false };
    look_at_loops(I, &at);
    choose_held(&at, true, I->given, held);
    for (int iteration = 0; iteration < 100; iteration++) {
        double largest = 0.0, size = 1.0;
        look_at_loops(I, &at);
        least_change(&at, at.values, true, held, x);
        for (int c = 0; c < COORDINATES; c++) {
            largest = fmax(largest, fabs(x[c]));
            size = fmax(size, fabs(I->q[c]));
        }
        if (!isfinite(largest)) return failed(I, "The loops cannot be closed at t = %g s.", I->t);
        for (int c = 0; c < COORDINATES; c++) I->q[c] += fmin(1.0, 0.5/fmax(largest, 1e-300))*x[c];
        changed(I);
        if (largest <= 1e-14*size) break;
    }
    look_at_loops(I, &at);
    choose_held(&at, false, I->given + UNKNOWNS, still);
    least_change(&at, at.rates, false, still, x);
    for (int c = 0; c < COORDINATES; c++) I->qd[c] += x[c];
    changed(I);
    return close_loops(I);
}

// What parameters determine at the start, unless the importer has given it.
static void follow_parameters(Instance *I)
{
    double found[STARTS + 1];
    starts(I->t, I->q, I->qd, I->qdd, constants_of(I), found);
    for (int k = 0; k < STARTS; k++) {
        const int j = start_places[k];
        if (!I->given[j]) *(j < UNKNOWNS ? &I->q[j] : &I->qd[j - UNKNOWNS]) = found[k];
    }
    changed(I);
}

// True where the state has drifted so far from what the constraints ask for that it is worth an event.
static bool is_astray(Instance *I)
{
    if (!MULTIPLIERS) return false;
    double corrections[2*UNKNOWNS];
    projection(I->t, I->q, I->qd, I->qdd, constants_of(I), corrections);
    for (int j = 0; j < COORDINATES; j++)
        if (fabs(corrections[j]) > ASTRAY || fabs(corrections[UNKNOWNS + j]) > 10*ASTRAY) return true;
    return false;
}

static bool is_steep(const Instance *I)
{
    for (int k = 0; k < ATTITUDES; k++)
        if (fabs(I->q[attitudes[k].at[1]]) > FARTHEST) return true;
    return false;
}

// R = Rz(g) Rx(a) Ry(b) Rz(c) of three angles a, b, c with a held one, g, and the angular velocity in rotated axes.
static void rotation_of(const Instance *I, const int *which, double R[3][3], double spin[3])
{
    const int ja = which[0], jb = which[1], jc = which[2];
    const double g = I->p[which[3]], a = I->q[ja], b = I->q[jb], c = I->q[jc];
    const double ca = cos(a), cb = cos(b), cc = cos(c), sa = sin(a), sb = sin(b), sc = sin(c);
    const double L[3][3] = {
        { cb*cc, -cb*sc, sb },
        { ca*sc + sa*sb*cc, ca*cc - sa*sb*sc, -sa*cb },
        { sa*sc - ca*sb*cc, sa*cc + ca*sb*sc, ca*cb },
    };
    for (int j = 0; j < 3; j++) {
        R[0][j] = cos(g)*L[0][j] - sin(g)*L[1][j];
        R[1][j] = sin(g)*L[0][j] + cos(g)*L[1][j];
        R[2][j] = L[2][j];
    }
    const double x = cb*I->qd[ja];
    spin[0] = cc*x + sc*I->qd[jb];
    spin[1] = cc*I->qd[jb] - sc*x;
    spin[2] = sb*I->qd[ja] + I->qd[jc];
}

// The three angles and their rates, with a held angle g with which b is small.
static void turn_to(Instance *I, const int *which, double R[3][3], const double spin[3])
{
    const int ja = which[0], jb = which[1], jc = which[2];
    const double grid = acos(-1.0)/8;
    double n[3], L[3][3], size = 0.0, found = 0.0;
    for (int i = 0; i < 3; i++) {
        n[i] = R[i][0]*spin[0] + R[i][1]*spin[1];
        size += n[i]*n[i];
    }
    size = sqrt(size);
    if (size > 1e-9 && fabs(n[2]) <= 0.3*size) found = atan2(n[1], n[0]);
    else if (hypot(R[0][2], R[1][2]) > 1e-9) found = atan2(R[0][2], -R[1][2]);
    const double h = grid*(found > 0 ? ceil(found/grid - 0.5) : floor(found/grid + 0.5));
    for (int j = 0; j < 3; j++) {
        L[0][j] = cos(h)*R[0][j] + sin(h)*R[1][j];
        L[1][j] = cos(h)*R[1][j] - sin(h)*R[0][j];
        L[2][j] = R[2][j];
    }
    const double A = atan2(-L[1][2], L[2][2]), C = atan2(-L[0][1], L[0][0]);
    const double B = atan2(L[0][2], hypot(L[1][2], L[2][2]));
    const double dA = (cos(C)*spin[0] - sin(C)*spin[1])/cos(B);
    set_parameter(I, which[3], h);
    I->q[ja] = A;
    I->q[jb] = B;
    I->q[jc] = C;
    I->qd[ja] = dA;
    I->qd[jb] = sin(C)*spin[0] + cos(C)*spin[1];
    I->qd[jc] = spin[2] - sin(B)*dA;
    changed(I);
}

// Attitudes by quaternions, which are as smooth as the angles, and angular velocities in the axes of the parent. Where
// angles were turned to others, the quaternion keeps near the one seen last.
static void see_attitudes(Instance *I, bool turned)
{
    for (int k = 0; k < ATTITUDES; k++) {
        if (I->given_attitude[k]) continue; // not yet turned to it
        const int *which = attitudes[k].at;
        const double g = I->p[which[3]]/2, a = I->q[which[0]]/2, b = I->q[which[1]]/2, c = I->q[which[2]]/2;
        const double m[4] = { cos(g)*cos(a), cos(g)*sin(a), sin(g)*sin(a), sin(g)*cos(a) }; // about z, then x
        const double n[4] = { cos(b)*cos(c), sin(b)*sin(c), sin(b)*cos(c), cos(b)*sin(c) }; // about y, then z
        const double e[4] = {
            m[0]*n[0] - m[1]*n[1] - m[2]*n[2] - m[3]*n[3],
            m[0]*n[1] + m[1]*n[0] + m[2]*n[3] - m[3]*n[2],
            m[0]*n[2] - m[1]*n[3] + m[2]*n[0] + m[3]*n[1],
            m[0]*n[3] + m[1]*n[2] - m[2]*n[1] + m[3]*n[0],
        };
        double R[3][3], spin[3], along = 0.0, *seen = I->attitude[k];
        rotation_of(I, which, R, spin);
        for (int j = 0; j < 4; j++) along += e[j]*seen[j];
        if (turned) I->sign[k] = along < 0 ? -1 : 1;
        for (int j = 0; j < 4; j++) seen[j] = I->sign[k]*e[j];
        for (int i = 0; i < 3; i++) seen[4 + i] = R[i][0]*spin[0] + R[i][1]*spin[1] + R[i][2]*spin[2];
    }
}

// Turns to the attitudes and angular velocities that the importer has set.
static bool start_attitudes(Instance *I)
{
    for (int k = 0; k < ATTITUDES; k++) {
        if (!I->given_attitude[k]) continue;
        const double *e = I->attitude[k], *omega = e + 4, size = e[0]*e[0] + e[1]*e[1] + e[2]*e[2] + e[3]*e[3];
        double R[3][3], spin[3];
        if (!isnormal(size)) {
            return failed(I, "The quaternion of %s, e0 to e3, has the length %g at the start: it says no attitude.",
                          attitudes[k].name, sqrt(size));
        }
        for (int i = 0; i < 3; i++) {
            const int j = (i + 1)%3, l = (i + 2)%3;
            R[i][i] = (e[0]*e[0] + e[1 + i]*e[1 + i] - e[1 + j]*e[1 + j] - e[1 + l]*e[1 + l])/size;
            R[i][j] = 2*(e[1 + i]*e[1 + j] - e[0]*e[1 + l])/size;
            R[j][i] = 2*(e[1 + i]*e[1 + j] + e[0]*e[1 + l])/size;
        }
        for (int i = 0; i < 3; i++) spin[i] = R[0][i]*omega[0] + R[1][i]*omega[1] + R[2][i]*omega[2];
        turn_to(I, attitudes[k].at, R, spin);
        I->given_attitude[k] = false;
    }
    see_attitudes(I, true);
    return true;
}

static bool renew(Instance *I)
{
    if (!is_steep(I)) return false;
    see_attitudes(I, false);
    for (int k = 0; k < ATTITUDES; k++)
        if (fabs(I->q[attitudes[k].at[1]]) > FARTHEST) {
            double R[3][3], spin[3];
            rotation_of(I, attitudes[k].at, R, spin);
            turn_to(I, attitudes[k].at, R, spin);
        }
    see_attitudes(I, true);
    return true;
}

{{contacts}}
{{events}}
static void begin_samples(Instance *I)
{
    for (int k = 0; k < SAMPLERS; k++) {
        Memory *M = &I->memory[k];
        memset(M, 0, sizeof *M);
        M->count = (long)fmax(0.0, ceil(fmax((I->t - clocks[k][0])/clocks[k][1], 0.0) - 1e-9));
        M->next = fmax(clocks[k][0] + (double)M->count*clocks[k][1], I->t);
    }
}

// The controllers whose sample is due; whether there is one.
static bool sample_all(Instance *I)
{
    bool any = false;
    for (int k = 0; k < SAMPLERS; k++) {
        Memory *M = &I->memory[k];
        if (I->t < M->next - 1e-12*fmax(1.0, fabs(I->t))) continue;
        sample(I, k, M);
        M->next = clocks[k][0] + (double)++M->count*clocks[k][1];
        any = true;
    }
    return any;
}

// -- events ------------------------------------------------------------------------------------------------------------

// Whether indicator i has left its side, and its event happens.
static bool happens(const Instance *I, int i, double z)
{
    const Watched *w = &watched[i];
    if (w->floor > 0) return z < -w->floor || (I->side[i] > 0 && z < -I->slack[i]);
    return I->side[i]*z <= -I->slack[i] && I->side[i] != 0 && w->direction*I->side[i] <= 0;
}

// The indicators where the motion is a moment (s) later.
static void look_ahead(Instance *I, double moment, double z[INDICATORS + 1])
{
    double x[STATES + 1], dx[STATES + 1], ahead[STATES + 1];
    const double t = I->t;
    get_states(I, x);
    get_derivatives(I, dx);
    for (int j = 0; j < STATES; j++)
        ahead[j] = x[j] + moment*(dx[j] + (j < COORDINATES ? moment/2*dx[COORDINATES + j] : 0.0));
    I->t = t + moment;
    set_states(I, ahead);
    get_indicators(I, z);
    I->t = t;
    set_states(I, x);
}

// On which sides indicators are: of those at zero, where the motion takes them; 0 for those that it leaves there.
// Those that have `landed` may be at zero but for what the search for the instant has left.
static void find_sides(Instance *I, const bool landed[INDICATORS + 1], double z[INDICATORS + 1],
                       double side[INDICATORS + 1], double slack[INDICATORS + 1])
{
    double soon[INDICATORS + 1];
    bool known[INDICATORS + 1] = { false };
    get_indicators(I, z);
    for (double moment = 1e-9; moment < 1e-4; moment *= 30) { // s
        look_ahead(I, moment, soon);
        for (int i = 0; i < INDICATORS; i++) {
            if (known[i]) continue;
            const double change = soon[i] - z[i];
            const double near = landed[i] || watched[i].floor > 0 ? fmax(1e-9, 20*fabs(change)) : fabs(change);
            const bool at_zero = fabs(z[i]) <= near;
            known[i] = !at_zero || fabs(change) > 1e-15;
            side[i] = !at_zero ? (z[i] > 0 ? 1.0 : -1.0) : !known[i] ? 0.0 : change > 0 ? 1.0 : -1.0;
            slack[i] = at_zero ? 4*fabs(z[i]) + 1e-15 : 0.0;
        }
    }
}

static void choose_sides(Instance *I)
{
    const bool none[INDICATORS + 1] = { false };
    double z[INDICATORS + 1];
    find_sides(I, none, z, I->side, I->slack);
}

// The events that happen at this instant; false after a failure. *any becomes true where values have changed.
//
// An event happens where its indicator has left its side: by the motion, or because an input, a sample or an action has
// taken it over zero. An action that takes its own indicator back has turned it: that is no other event.
static bool happen_all(Instance *I, bool *any)
{
    if (!(fabs(I->t - I->looked_at) <= 1e-12*fmax(1.0, fabs(I->t)))) {
        memset(I->done, 0, sizeof I->done);
        I->acted = false;
    }
    I->looked_at = I->t;
    for (int round = 0; INDICATORS; round++) {
        if (round == MOST_EVENTS) return failed(I, "More than %d events happen at t = %g s.", MOST_EVENTS, I->t);
        double z[INDICATORS + 1], side[INDICATORS + 1], slack[INDICATORS + 1];
        bool due[INDICATORS + 1] = { false }, found = false, touches = false;
        find_sides(I, due, z, side, slack);
        for (int i = 0; i < INDICATORS; i++) {
            if (watched[i].floor > 0) due[i] = !touches && happens(I, i, z[i]);
            else due[i] = I->side[i]*side[i] < 0 && watched[i].direction*I->side[i] <= 0
                          && !(I->done[i] && I->seen[i] == z[i]);
            touches = touches || (due[i] && watched[i].floor > 0);
            found = found || due[i];
        }
        for (int i = 0; i < INDICATORS; i++)
            if (!due[i] && (watched[i].floor <= 0 || !found)) {
                I->side[i] = side[i];
                I->slack[i] = slack[i];
            }
        if (!found) break;
        bool moved = false;
        for (int i = 0; i < INDICATORS; i++)
            if (due[i] && act(I, i)) moved = I->acted = true;
        if (I->broken) return false;
        if (moved) settle(I);
        *any = *any || moved;
        find_sides(I, due, z, side, slack);
        for (int i = 0; i < INDICATORS; i++) {
            I->seen[i] = z[i];
            if (!due[i]) continue;
            I->done[i] = true;
            I->side[i] = side[i];
            I->slack[i] = slack[i];
        }
    }
    return true;
}

// Everything that is due at this instant: what the motion has come to, then samples, then what these bring about.
static bool handle_events(Instance *I, bool *any)
{
    if (!close_loops(I)) return false;
    *any = renew(I);
    if (!happen_all(I, any)) return false;
    if (!sample_all(I)) return true;
    *any = true;
    return happen_all(I, any);
}

static double next_time(const Instance *I)
{
    double next = HUGE_VAL;
    for (int k = 0; k < SAMPLERS; k++) next = fmin(next, I->memory[k].next);
    return next;
}

// -- a run ---------------------------------------------------------------------------------------------------------------

static void reset(Instance *I)
{
    memcpy(I->q, initial_q, sizeof initial_q);
    memcpy(I->qd, initial_qd, sizeof initial_qd);
    memcpy(I->p, initial_p, sizeof initial_p);
    memset(I->qdd, 0, sizeof I->qdd);
    memset(I->memory, 0, sizeof I->memory);
    memset(I->done, 0, sizeof I->done);
    memset(I->given, 0, sizeof I->given);
    memset(I->given_attitude, 0, sizeof I->given_attitude);
    for (int k = 0; k < ATTITUDES; k++) memcpy(I->attitude[k], attitudes[k].start, sizeof I->attitude[k]);
    I->t = 0.0;
    I->looked_at = I->started = -HUGE_VAL;
    I->stopped = I->broken = false;
    I->step = 0.0;
    I->tolerance = TOLERANCE;
    I->stale_constants = true;
    changed(I);
}

// Values at the start follow from what the importer has set so far.
static bool initialize(Instance *I)
{
    follow_parameters(I);
    return start_attitudes(I);
}

static bool begin(Instance *I)
{
    if (!initialize(I)) return false;
    I->started = I->t;
    begin_samples(I);
    renew(I);
    if (!assemble(I)) return false;
    first_flags(I);
    if (!first_touch(I)) return false;
    sample_all(I);
    differentiate(I);
    if (!is_finite(I->qdd, UNKNOWNS)) return failed(I, "The accelerations are not finite at t = %g s.", I->t);
    choose_sides(I);
    return true;
}

// One step of the method of Dormand and Prince, orders 5 and 4, from x at t; the error beside the tolerance.
static double dormand_prince(Instance *I, double t, double h, const double *x, const double *k1, double *result)
{
    static const double c[7] = { 0, 1.0/5, 3.0/10, 4.0/5, 8.0/9, 1, 1 };
    static const double a[7][6] = {
        { 0 },
        { 1.0/5 },
        { 3.0/40, 9.0/40 },
        { 44.0/45, -56.0/15, 32.0/9 },
        { 19372.0/6561, -25360.0/2187, 64448.0/6561, -212.0/729 },
        { 9017.0/3168, -355.0/33, 46732.0/5247, 49.0/176, -5103.0/18656 },
        { 35.0/384, 0, 500.0/1113, 125.0/192, -2187.0/6784, 11.0/84 },
    };
    static const double e[7] = { 71.0/57600, 0, -71.0/16695, 71.0/1920, -17253.0/339200, 22.0/525, -1.0/40 };
    double k[7][STATES + 1];
    memcpy(k[0], k1, STATES*sizeof(double));
    for (int i = 1; i < 7; i++) {
        for (int j = 0; j < STATES; j++) {
            double sum = 0.0;
            for (int m = 0; m < i; m++) sum += a[i][m]*k[m][j];
            result[j] = x[j] + h*sum;
        }
        I->t = t + c[i]*h;
        set_states(I, result);
        get_derivatives(I, k[i]);
    }
    double error = 0.0;
    for (int j = 0; j < STATES; j++) {
        double difference = 0.0;
        for (int m = 0; m < 7; m++) difference += e[m]*k[m][j];
        const double scale = I->tolerance*(1e-2*nominal[j] + fmax(fabs(x[j]), fabs(result[j])));
        if (!isfinite(difference) || !isfinite(result[j])) return HUGE_VAL;
        if (nominal[j] > 0) error = fmax(error, fabs(h*difference)/scale);
    }
    return error;
}

// Whether an indicator has left its side, by more than `least`.
static bool leaves_a_side(Instance *I, double least)
{
    double z[INDICATORS + 1];
    get_indicators(I, z);
    for (int i = 0; i < INDICATORS; i++)
        if (happens(I, i, z[i] + least*I->side[i])) return true;
    return false;
}

static void follow_sides(Instance *I)
{
    double z[INDICATORS + 1];
    get_indicators(I, z);
    for (int i = 0; i < INDICATORS; i++) {
        if (fabs(z[i]) <= I->slack[i] || happens(I, i, z[i])) continue;
        I->side[i] = z[i] > 0 ? 1.0 : -1.0;
        I->slack[i] = 0.0;
    }
}

// Looks within a step of length h from x (with the derivatives k1) to `end`: the end of the first part of it, as a
// fraction, in which an indicator leaves its side; 2 if there is none. The motion is at the end of the step then.
static double first_leaving(Instance *I, double t, double h, const double *x, const double *k1, const double *end)
{
    double k2[STATES + 1], between[STATES + 1];
    const double last = I->t;
    get_derivatives(I, k2);
    for (int k = 1; k <= LOOKS; k++) {
        const double s = (double)k/LOOKS, r = 1 - s;
        for (int j = 0; k < LOOKS && j < STATES; j++) // a polynomial of degree 3
            between[j] = x[j] + s*s*(3 - 2*s)*(end[j] - x[j]) + h*s*r*(r*k1[j] - s*k2[j]);
        I->t = k < LOOKS ? t + s*h : last;
        set_states(I, k < LOOKS ? between : end);
        if (leaves_a_side(I, 0.0)) return s;
        follow_sides(I);
    }
    return 2.0;
}

// From where it is to `end`, events and samples on the way. What happens at the end itself comes at the beginning of
// the next call, where new inputs are known: values are those just before, as in the tables of easydyn.
static bool advance(Instance *I, double end)
{
    double x[STATES + 1], k1[STATES + 1], result[STATES + 1];
    const double tiny = 1e-12*fmax(1.0, fabs(end));
    bool any;
    I->stale_constants = true; // inputs may be new
    if (!handle_events(I, &any)) return false;
    for (long n = 0; end - I->t > tiny && !I->stopped; n++) {
        if (n == MOST_STEPS) return failed(I, "More than %ld steps up to t = %g s.", MOST_STEPS, I->t);
        const double t = I->t, until = fmin(end, next_time(I));
        get_states(I, x);
        get_derivatives(I, k1);
        if (I->step <= 0) I->step = 1e-3*fmax(until - t, tiny);
        double h = I->step;
        const bool last = t + h >= until - tiny;
        if (last) h = until - t;
        const double error = dormand_prince(I, t, h, x, k1, result);
        const double factor = fmin(5.0, fmax(0.2, 0.9*pow(fmax(error, 1e-10), -0.2)));
        if (!(error <= 1.0)) {
            I->t = t;
            set_states(I, x);
            I->step = h*(isfinite(error) ? factor : 0.2);
            if (I->step < 1e-14*fmax(1.0, fabs(t))) return failed(I, "The steps become too short at t = %g s.", t);
            continue;
        }
        if (!last || factor < 1) I->step = h*factor;
        I->t = last ? until : t + h;
        set_states(I, result);
        const double part = INDICATORS ? first_leaving(I, t, h, x, k1, result) : 2.0;
        if (part <= 1) { // where? Steps from the same start are halved
            double low = (part - 1.0/LOOKS)*h, high = part*h;
            while (high - low > 4e-16*fmax(fabs(t), 1e-3*h)) {
                const double middle = (low + high)/2;
                if (middle <= low || middle >= high) break;
                dormand_prince(I, t, middle, x, k1, result);
                I->t = t + middle;
                set_states(I, result);
                if (leaves_a_side(I, 0.0)) high = middle;
                else low = middle;
            }
            dormand_prince(I, t, high, x, k1, result);
            I->t = t + high;
            set_states(I, result);
            if (end - I->t > tiny && !handle_events(I, &any)) return false;
        } else {
            if (!close_loops(I)) return false;
            renew(I);
            if (I->t >= next_time(I) && end - I->t > tiny && !handle_events(I, &any)) return false;
        }
    }
    if (!I->stopped) I->t = end;
    return true;
}

// -- values by their references ------------------------------------------------------------------------------------------

enum {
    OWN_STATES = UNKNOWNS - COORDINATES - MULTIPLIERS,
    FIRST_COORDINATE = 1, // 0 is the time
    FIRST_RATE = FIRST_COORDINATE + COORDINATES,
    FIRST_ACCELERATION = FIRST_RATE + COORDINATES,
    FIRST_STATE = FIRST_ACCELERATION + COORDINATES,
    FIRST_STATE_RATE = FIRST_STATE + OWN_STATES,
    FIRST_PARAMETER = FIRST_STATE_RATE + OWN_STATES,
    FIRST_OUTPUT = FIRST_PARAMETER + PARAMETERS,
    FIRST_PLACE = FIRST_OUTPUT + OUTPUTS,
    FIRST_ATTITUDE = FIRST_PLACE + 3*BODIES,
    FIRST_INDICATOR = FIRST_ATTITUDE + 7*ATTITUDES,
    FIRST_ROOM = FIRST_INDICATOR + INDICATORS,
    REFERENCES = FIRST_ROOM + ATTITUDES
};

// How far it is to where the reference of an attitude must be renewed.
static double room(const Instance *I, int k) { return LATEST - fabs(I->q[attitudes[k].at[1]]); }

static bool get_value(Instance *I, unsigned reference, double *value)
{
    const int r = (int)reference;
    if (reference >= REFERENCES) return failed(I, "There is no value reference %u.", reference);
    if (r == 0) *value = I->t;
    else if (r < FIRST_RATE) *value = I->q[r - FIRST_COORDINATE];
    else if (r < FIRST_ACCELERATION) *value = I->qd[r - FIRST_RATE];
    else if (r < FIRST_STATE) {
        differentiate(I);
        *value = I->qdd[r - FIRST_ACCELERATION];
    } else if (r < FIRST_STATE_RATE) *value = I->qd[COORDINATES + r - FIRST_STATE];
    else if (r < FIRST_PARAMETER) {
        differentiate(I);
        *value = I->qdd[COORDINATES + r - FIRST_STATE_RATE];
    } else if (r < FIRST_OUTPUT) *value = I->p[r - FIRST_PARAMETER];
    else if (r < FIRST_ATTITUDE) {
        double found[OUTPUTS + 3*BODIES + 1];
        differentiate(I);
        outputs(I->t, I->q, I->qd, I->qdd, constants_of(I), found);
        *value = found[r - FIRST_OUTPUT];
    } else if (r < FIRST_INDICATOR) {
        see_attitudes(I, I->started == -HUGE_VAL);
        *value = I->attitude[(r - FIRST_ATTITUDE)/7][(r - FIRST_ATTITUDE)%7];
    } else if (r < FIRST_ROOM) {
        double z[INDICATORS + 1] = { 0 };
        get_indicators(I, z);
        *value = z[r - FIRST_INDICATOR];
    } else *value = room(I, r - FIRST_ROOM);
    return true;
}

static void set_start(Instance *I, int j, double value)
{
    *(j < UNKNOWNS ? &I->q[j] : &I->qd[j - UNKNOWNS]) = value;
    I->given[j] = true;
}

// A component of a quaternion or of an angular velocity. A value that is there already sets nothing: importers that set
// all values at the start may have set angles.
static bool set_attitude(Instance *I, int k, int i, double value)
{
    if (I->started > -HUGE_VAL) return failed(I, "The attitude of %s can be set before the start alone.", attitudes[k].name);
    if (I->attitude[k][i] == value) return true;
    I->attitude[k][i] = value;
    I->given_attitude[k] = true;
    for (int j = 0; j < 3; j++) I->given[attitudes[k].at[j] + (i < 4 ? 0 : UNKNOWNS)] = true;
    return true;
}

static bool set_value(Instance *I, unsigned reference, double value)
{
    const int r = (int)reference;
    if (!isfinite(value)) return failed(I, "The value for reference %u is not finite.", reference);
    if (r >= FIRST_COORDINATE && r < FIRST_RATE) set_start(I, r - FIRST_COORDINATE, value);
    else if (r >= FIRST_RATE && r < FIRST_ACCELERATION) set_start(I, UNKNOWNS + r - FIRST_RATE, value);
    else if (r >= FIRST_STATE && r < FIRST_STATE_RATE) set_start(I, UNKNOWNS + COORDINATES + r - FIRST_STATE, value);
    else if (r >= FIRST_ATTITUDE && r < FIRST_INDICATOR)
        return set_attitude(I, (r - FIRST_ATTITUDE)/7, (r - FIRST_ATTITUDE)%7, value);
    else if (r >= FIRST_PARAMETER && r < FIRST_OUTPUT) set_parameter(I, r - FIRST_PARAMETER, value);
    else return failed(I, "The value of reference %u follows from others: it cannot be set.", reference);
    changed(I);
    return true;
}

// Indicators as a solver of the importer sees them: they have surely left their side where they are zero.
static void shifted_indicators(Instance *I, double *z)
{
    get_indicators(I, z);
    for (int i = 0; i < INDICATORS; i++) z[i] += (I->side[i] < 0 ? -1 : 1)*(I->slack[i] + BESIDE);
    for (int k = 0; k < ATTITUDES; k++) z[INDICATORS + k] = room(I, k);
}

// Whether a step of the importer's solver must be followed by an event.
static bool wants_event(Instance *I)
{
    if (INDICATORS && leaves_a_side(I, BESIDE)) return true;
    if (INDICATORS) follow_sides(I);
    return is_steep(I) || is_astray(I);
}

static Instance *new_instance(void)
{
    Instance *I = calloc(1, sizeof *I);
    if (I != NULL) reset(I);
    return I;
}

// -- states that an importer keeps ---------------------------------------------------------------------------------------

static bool fits(Instance *I, size_t size)
{
    return size >= sizeof *I || failed(I, "A state has %u bytes, not %u.", (unsigned)sizeof *I, (unsigned)size);
}

static bool keep_state(Instance *I, const void *from, void **state)
{
    if (*state == NULL) *state = malloc(sizeof *I);
    if (*state == NULL) return failed(I, "There is no memory for a state.");
    memcpy(*state, from, sizeof *I);
    return true;
}

static void restore_state(Instance *I, const void *state)
{
    const Interface kept = I->interface;
    memcpy(I, state, sizeof *I);
    I->interface = kept;
}

static void forget_state(void **state)
{
    free(*state);
    *state = NULL;
}

#if defined _WIN32 || defined __CYGWIN__
#define FMI __declspec(dllexport)
#elif defined __GNUC__
#define FMI __attribute__((visibility("default")))
#else
#define FMI
#endif
