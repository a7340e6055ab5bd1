"""The record of a run: all data of the steppers, by name."""

from __future__ import annotations

import numpy as np

from easydyn.native.record import Array, Function, Hooks, Record

# What a kernel answers. What went wrong stands in f, matrix, delta or qdd1 of the record.
DONE, NOT_FINITE, SINGULAR, NO_CONVERGENCE, SINGULAR_MASS, TOO_SHORT, FULL, SPENT = 0, 1, 2, 3, 4, 5, 6, 7
EVENT, STOP, DIVERGING, NO_VALUE, UNSTABLE, NOT_CLOSED, OUTSIDE, NEAR, DIP = 8, 9, 10, 11, 12, 13, 14, 15, 16


class Run(Record):
    """A second-order system f(t, q, qd, qdd) = 0 on its way; every array has n elements unless said otherwise."""

    n: int
    # the state reached
    t: float
    q: Array
    qd: Array
    qdd: Array
    # where the step began
    t0: float
    q0: Array
    qd0: Array
    qdd0: Array
    # the step that is tried: its end, the first guess of its accelerations, the part of (12), (13) that is known
    q1: Array
    qd1: Array
    qdd1: Array
    guess: Array
    kept: Array
    kept_q: Array
    kept_qd: Array
    kept_qdd: Array
    kept_rate: Array
    kept_slope: Array
    kept_t: float
    q_known: Array
    qd_known: Array
    # where functions are evaluated: time (1), coordinates, rates, accelerations
    time: Array
    q_at: Array
    qd_at: Array
    qdd_at: Array
    # the equations: residual f -> (n), several at a time side by side, M -> (n n), accelerations, rates of integrals
    residual: Function
    residuals_abreast: Function
    mass_matrix: Function
    accelerations: Function
    accelerations_abreast: Function  # at the points of collocation, side by side
    rates: Function
    # corrections of q and qd towards constraints, a determinant of them, and whether others are open (2 n + 2); what
    # the determinant was after the last step, and the one before
    projection: Function
    rank: float
    rank_before: float
    dip: int  # it may have been zero in the last two steps: since t_dip, and the state then
    t_dip: float
    q_dip: Array
    qd_dip: Array
    residual_constants: Array
    mass_matrix_constants: Array
    accelerations_constants: Array
    rates_constants: Array
    projection_constants: Array
    # gaps that are left out (number_of_distances), then their rates: a function, now and after the step before
    distances: Function
    distances_constants: Array
    number_of_distances: int
    distance: Array
    distance_before: Array
    has_projection: int
    correction: Array
    has_mass_matrix: int
    has_accelerations: int
    has_abreast: int  # the accelerations of several states at a time
    linear: int  # the residual is linear in the accelerations
    # the method
    method: Hooks  # its Family
    beta: float
    gamma: float
    alpha_m: float
    alpha_f: float
    share: float  # (1 - alpha_f)/(1 - alpha_m)
    error_constant: float
    tolerance: float
    limited: int  # fixed steps may be too long for stability; smallest error since they seem so, and how many they are
    wild: float
    wild_steps: int
    # weights of the unknowns, and one by these; first_order is 1 for first-order states, scale their least weight or 0
    scale: Array
    weight: Array
    per_weight: Array
    first_order: Array
    has_states: int
    # Newton's iteration: iteration matrix (n n), its factors for every level of extrapolation, residual, correction
    level: int
    matrix: Array  # of a sparse one (sparse 1) its entries by columns; what is where of it says sparse.py
    sparse: int
    entries: int  # how many, how many of L, how long the factors are, in how many groups columns are found
    fill: int
    room: int
    colours: int
    column_start: Array
    entry_row: Array
    entry_place: Array
    order: Array
    fill_start: Array
    fill_at: Array
    update_to: Array
    colour_start: Array
    colour_columns: Array
    ordered: Array
    # of one in blocks (sparse 2): the groups that tie unknowns, by their members and their flags among what is held,
    # and whether they counted when blocks were last found; these blocks, of each its unknowns
    groups: int
    group_start: Array
    group_member: Array
    group_flag: Array
    group_counts: Array
    blocks: int
    block_start: Array
    members: Array
    last: Array
    following: Array
    root: Array
    number: Array
    factors: Array
    pivots: Array
    row_scales: Array
    column_scales: Array
    has_factors: Array
    contraction: Array
    f: Array
    delta: Array
    epsilon: Array
    width: int  # states abreast, and their arrays (n width)
    abreast_time: Array
    abreast_q: Array
    abreast_qd: Array
    abreast_qdd: Array
    abreast_f: Array
    abreast_epsilon: Array
    # step control
    h: float  # length of the next step; 0 before the first one
    taken: float  # length of the last one
    error: float  # rate of error of the last step that was accepted
    trial_error: float
    slope: Array  # of the accelerations over the last step: predicts the next
    has_slope: int
    slope0: Array  # of the step before
    lag: Array  # (HHT, generalised alpha) of the accelerations in (12) and (13) behind qdd, by h; and the step before
    lag0: Array
    had_slope: int
    max_step: float
    min_step: float
    creeping: int
    moving: int  # the state is on its way: 1 while steps are tried, from kept_*; 2 while one is accepted, from q0 ...
    # counts
    steps: int
    rejected: int
    iterations: int
    jacobians: int
    residuals: int
    # the run: where it began and ends, jumps (number_of_jumps), fixed length (0: controlled)
    start: float
    end: float
    jumps: Array
    number_of_jumps: int
    fixed_step: float
    fixed_origin: float
    fixed_count: int
    budget: int  # residuals after which a kernel returns, to be called again
    # where the run stops, to be told what happens: at a time, and at events (number_of_events each)
    next_stop: float
    number_of_events: int
    all_loose: int  # 1 where none of them has to be located
    loaded: int  # 1 where one of them changes with accelerations or loads, as it is now
    number_of_edges: int  # of these, the last ones: g has the rates of theirs behind it
    horizon: float  # (s) for which their g is carried on
    usual: float  # length of steps of late
    events: Function
    events_constants: Array
    directions: Array  # 1 rising, -1 falling, 0 both; LOOSE times that where it need not be located
    calm: int  # 1 where all of them change as steadily as the motion does
    g_end: Array  # g after the last step, and its change, or rate where they are not calm
    g_change: Array
    floors: Array  # of what must not become negative: below minus that it has; 0 for other events
    switches: Array  # 1 for those at which nothing is done: laws switch there
    across: float  # the time (s) that leads over those before which the last step has ended, 0 if there are none
    side: Array  # sign of each switching function, 0 when it is not known
    fired: Array
    landed: int
    g: Array
    g0: Array
    g1: Array
    g_seen: Array
    g_largest: Array
    above: Array  # the last fraction of the step at which g was on its side, and its size there
    of_above: Array
    rates0: Array  # of g, in units of the step, at both ends of a part of it
    rates1: Array
    roots: Array
    q_landing: Array  # the state there, interpolated (n each), and the integrals (m)
    qd_landing: Array
    qdd_landing: Array
    integral_landing: Array
    rate_before: Array  # of the integrals on both sides of a switch (m)
    rate_near: Array
    # what the loop itself sets at loose events, by a program (number_of_renewed): the event, the number of the result,
    # and its place, counted from q (of what is held every place where it is read)
    renewals: Function
    renewals_constants: Array
    number_of_renewed: int
    renewed: Array
    renewed_event: Array
    renewed_result: Array
    renewed_place: Array
    renewed_by_now: int  # 1 since one was
    # impacts in the loop (number_of_gaps): gap, rate, acceleration and restitution of each, then all their gradients,
    # from gap_slope_start on, with their columns; its unknown, its time of rest; the places of its flag, from
    # gap_place_start on, and of its compliance, from gap_soft_start on, counted from q; the first of their events; what
    # a gap lacks, whether it takes part in an impact; the contacts that do (number_active), with their impulses; what
    # has happened by now (struck_rows): t, the event, what it is, q, qd, qdd before, q and qd after
    gaps: Function
    gaps_constants: Array
    energy: Function  # its sudden changes count as work, the last integral
    energy_constants: Array
    energy_now: Array
    has_energy: int
    number_of_gaps: int
    gap_values: Array
    gap_slope_start: Array
    gap_column: Array
    gap_lack: Array
    gap_feels: Array
    gap_closed: Array
    gap_opened: Array
    gap_struck: Array
    number_struck: int
    gap_active: Array
    gap_impulse: Array
    gap_near: Array
    gap_pushes: Array
    gap_wrong: Array
    number_active: int
    mobility: Array
    mobility_factors: Array
    gap_unknown: Array
    gap_rest: Array
    gap_places: Array
    gap_place_start: Array
    gap_soft_start: Array
    first_gap: int
    struck: Array
    struck_rows: int
    struck_room: int
    # friction in the loop (number_of_slips): six numbers of each slip (rub.py); the column of the coordinate that it
    # holds; the places of its direction and of what says that it sticks, counted from q, from slip_place_start on, two
    # for each; below which velocity it is at rest; the first of their events; whether the loop decides (rubs); modes
    # before; what is at rest, and changes, to slide in a way
    slips: Function
    slips_constants: Array
    number_of_slips: int
    rubs: int
    first_slip: int
    slip_values: Array
    slip_column: Array
    slip_places: Array
    slip_place_start: Array
    slip_slow: Array
    slip_direction: Array
    slip_sticks: Array
    slip_rests: Array
    slip_changes: Array
    slip_way: Array
    # what is held between stops: values and slopes of the inputs, the time of these values, flags
    held: Array
    number_of_held: int
    number_of_inputs: int
    # integrals along the run (m each)
    m: int
    integral: Array
    integral0: Array
    integral_scale: Array  # the largest values so far, the usual energy at least
    refined: int  # 1 where those of the last step are found by its motion (quadrature.py), not by its points
    whole: Array  # gains of parts of it (m each)
    parts: Array
    within: Array
    integral1: Array
    rate: Array
    rate0: Array
    # what is saved: every `save_every` seconds, or at given instants, or (save_every 0) after so many steps, `stride`,
    # with those since the last one that was; rows of 1 + 3 n + m + number_of_held; t, h, error of every step
    save_every: float
    instants: Array
    number_of_instants: int
    stride: int
    unsaved: int
    saved: int
    saved_rows: int
    saved_room: int
    rows: Array
    recording: int  # instants and steps are kept
    pending: int  # instants of the last step are still to be saved
    # states just before and just after what happens, as rows, saved or not; something has happened since the last step
    seams: Array
    seam_rows: int
    seam_room: int
    seaming: int
    way: float  # of a coordinate, after which a state is kept there, too; below 0 after every step, 0 for none
    q_seam: Array
    step_rows: int
    step_room: int
    steps_taken: Array
    # states along the run, some of all: their number, steps between them, rows of 2 + 2 n + number_of_held
    witnessed: int
    between_witnesses: int
    next_witness: int
    witnesses: Array
    # interpolation within a step
    q_between: Array
    qd_between: Array
    qdd_between: Array
    # explicit Runge-Kutta: coefficients; rates, accelerations, rates of integrals of the stages; dense output
    # (extrapolation: the middle of the step, and rates of integrals at its quarters)
    coefficients: Array
    stage_qd: Array
    stage_qdd: Array
    stage_rate: Array
    dense: Array
    has_dense: int
    # collocation: time (8), q, qd, qdd at the points (8 n each); of the last step its start, its length, the polynomial
    # of its accelerations (n and 8 n); weights (72) and Legendre polynomials (72), squares of terms (8);
    # the length that would serve best
    point_time: Array
    point_q: Array
    point_qd: Array
    point_qdd: Array
    node_t: float
    node_h: float
    node_qdd0: Array
    node_qdd: Array
    ahead: Array
    legendre: Array
    terms: Array
    advice: float
    # steps whose length the method finds itself: that length, or how far it got; what makes them outside of the kernels
    # (scipy_methods.py), what it is asked for and at what time, and what it answers
    own_step: float
    outer: Function
    asked: int
    moment: float
    answer: int
    # extrapolation: tableau (levels rows of 3 n + m)
    by_step: int  # the motion between was found by a step
    tableau: Array

    def __init__(self) -> None:
        super().__init__()
        self.inverses: dict[int, np.ndarray] = {}  # of iteration matrices, where Python interprets
        self.scattered: list[tuple[Array, int]] = []  # where that stands which the loop sets: a list, and an index
