"""Fortran 2008: a module with one function for each quantity, and a program that uses it."""

from __future__ import annotations

from collections.abc import Iterable

from easydyn.export.expressions import COMMON, Form, Level, call, logical
from easydyn.export.layout import PROMISES, Language, Layout, Routine
from easydyn.export.text import commented, fill, packed

_TEMPLATE = """\
{{header}}

module equations
    implicit none
    integer, parameter :: dp = kind(1.0d0)
    integer, parameter :: unknowns = {{unknowns}}, coordinates = {{coordinates}}  ! states come after coordinates
    {{body_names}}

    {{parameters}}

contains

    {{helpers}}

    {{prepare}}

    {{routines}}

    ! The derivative of the state y: its first column is q, the second qd.
    function derivative(t, y{{passed}}) result(out)
        real(dp), intent(in) :: t, y(unknowns, 2)
        {{typed}}
        real(dp) :: out(unknowns, 2)
        out(:, 1) = y(:, 2)
        out(coordinates + 1:, 1) = 0.0_dp
        out(:, 2) = accelerations(t, y(:, 1), y(:, 2){{passed}})
    end function

    ! The state one step h later, by the classical Runge-Kutta method of fourth order.
    function runge_kutta(t, h, y{{passed}}) result(out)
        real(dp), intent(in) :: t, h, y(unknowns, 2)
        {{typed}}
        real(dp) :: out(unknowns, 2), k1(unknowns, 2), k2(unknowns, 2), k3(unknowns, 2), k4(unknowns, 2)
        k1 = derivative(t, y{{passed}})
        k2 = derivative(t + h/2, y + h/2*k1{{passed}})
        k3 = derivative(t + h/2, y + h/2*k2{{passed}})
        k4 = derivative(t + h, y + h*k3{{passed}})
        out = y + h/6*(k1 + 2*k2 + 2*k3 + k4)
    end function

end module

program {{name}}
    use, intrinsic :: iso_fortran_env, only: error_unit
    use equations
    implicit none

    ! The run: change it here.
    real(dp), parameter :: t_final = {{t_final}}  ! s
    real(dp), parameter :: step = {{step}}  ! s, the longest step
    real(dp), parameter :: save_every = {{save_every}}  ! s, between two lines of the table
    character(len=*), parameter :: columns = &
        {{columns}}
    real(dp) :: initial_q(unknowns), initial_qd(unknowns)
    {{declared}}
    character(len=16) :: word

    {{initial}}
    {{prepared}}
    call get_command_argument(1, word)
    if (word == 'check') then
        call check()
    else
        call simulate()
    end if

contains

    ! Integrates the motion and prints it as a table in CSV.
    subroutine simulate()
        real(dp) :: t, next, h, y(unknowns, 2)
        integer :: line, steps, k
        t = 0.0_dp
        y(:, 1) = initial_q
        y(:, 2) = initial_qd
        write (*, '(a)') columns
        call print_line(t, y)
        line = 0
        do while (t < t_final)
            line = line + 1
            next = line*save_every
            if (next > t_final - 1e-9_dp*save_every) next = t_final
            steps = max(1, ceiling((next - t)/step - 1e-9_dp))
            h = (next - t)/steps
            do k = 0, steps - 1
                y = runge_kutta(t + k*h, h, y{{passed}})
            end do
            if (.not. all(abs(y) <= huge(y))) then
                write (error_unit, '(a, g0.6, a)') 'The motion is not finite after t = ', t, ' s. Try a smaller step.'
                stop 1
            end if
            t = next
            call print_line(t, y)
        end do
    end subroutine

    subroutine print_line(t, y)
        real(dp), intent(in) :: t, y(unknowns, 2)
        write (*, '(*(g0.15, :, ","))') t, y(:coordinates, 1), y(coordinates + 1:, 2), y(:coordinates, 2)
    end subroutine

    ! Reads t, q, qd, qdd of one state or of many, and prints what the functions above make of them.
    subroutine check()
        real(dp) :: t, q(unknowns), qd(unknowns), qdd(unknowns)
        integer :: failed
        do
            read (*, *, iostat=failed) t, q, qd, qdd
            if (failed /= 0) exit
            call print_numbers('residual', residual(t, q, qd, qdd{{passed}}))
            call print_rows('mass_matrix', mass_matrix({{mass_arguments}}{{passed}}))
            call print_numbers('accelerations', accelerations(t, q, qd{{passed}}))
            {{check_frames}}
        end do
    end subroutine

    subroutine print_numbers(name, values)
        character(len=*), intent(in) :: name
        real(dp), intent(in) :: values(:)
        write (*, '(a, *(1x, es24.16e3))') name, values
    end subroutine

    subroutine print_rows(name, values)
        character(len=*), intent(in) :: name
        real(dp), intent(in) :: values(:, :)
        call print_numbers(name, reshape(transpose(values), [size(values)]))
    end subroutine

    {{frame_printer}}
end program
"""

_FRAME_PRINTER = """\
subroutine print_frames(values)
    real(dp), intent(in) :: values(4, 4, bodies)
    integer :: i, j, k
    call print_numbers('frames', [(((values(i, j, k), j = 1, 4), i = 1, 4), k = 1, bodies)])
end subroutine
"""

_SOLVE = """\
! The x of A x = b, by elimination, the largest pivot of each column first.
function solve(A, b) result(x)
    real(dp), intent(in) :: A(unknowns, unknowns), b(unknowns)
    real(dp) :: x(unknowns), L(unknowns, unknowns), factor
    integer :: i, k, pivot
    L = A
    x = b
    do k = 1, unknowns
        pivot = k - 1 + maxloc(abs(L(k:, k)), dim=1)
        L([k, pivot], :) = L([pivot, k], :)
        x([k, pivot]) = x([pivot, k])
        do i = k + 1, unknowns
            factor = L(i, k)/L(k, k)
            L(i, k:) = L(i, k:) - factor*L(k, k:)
            x(i) = x(i) - factor*x(k)
        end do
    end do
    do i = unknowns, 1, -1
        x(i) = (x(i) - sum(L(i, i + 1:)*x(i + 1:)))/L(i, i)
    end do
end function
"""

_LINEAR = """\
{{promise}}
function accelerations(t, q, qd{{passed}}) result(out)
    real(dp), intent(in) :: t, q(unknowns), qd(unknowns)
    {{typed}}
    real(dp) :: out(unknowns)
    out = -solve(mass_matrix(t, q{{passed}}), bias(t, q, qd{{passed}}))
end function
"""

_NEWTON = """\
{{promise}}
! M depends on the accelerations or the rates: Newton's iteration.
function accelerations(t, q, qd{{passed}}) result(out)
    real(dp), intent(in) :: t, q(unknowns), qd(unknowns)
    {{typed}}
    real(dp) :: out(unknowns), change(unknowns)
    integer :: iteration
    out = 0.0_dp
    do iteration = 1, 30
        change = solve(mass_matrix(t, q, qd, out{{passed}}), residual(t, q, qd, out{{passed}}))
        out = out - change
        if (all(abs(change) <= 1e-10_dp*abs(out))) exit
    end do
end function
"""


def _helper(head: str, *lines: str) -> str:
    arguments = head[head.index("(") + 1 : -1]
    name = head[: head.index("(")]
    return "\n".join([
        f"elemental function {head} result(y)", f"    real(dp), intent(in) :: {arguments}", "    real(dp) :: y",
        *(f"    {line}" for line in lines), f"end function {name}", "",
    ])  # fmt: skip


_HELPERS = {
    "sign": _helper("sign_of(x)", "y = 0.0_dp", "if (x > 0) y = 1.0_dp", "if (x < 0) y = -1.0_dp"),
    "floor": _helper("floor_of(x)", "y = aint(x)", "if (y > x) y = y - 1.0_dp"),
    "ceil": _helper("ceiling_of(x)", "y = aint(x)", "if (y < x) y = y + 1.0_dp"),
    "min": _helper("smaller(a, b)", "y = b", "if (.not. a >= b) y = a", "if (.not. b >= b) y = b"),
    "max": _helper("larger(a, b)", "y = b", "if (.not. a <= b) y = a", "if (.not. b <= b) y = b"),
}

_RESERVED = """
allocatable allocate associate backspace block call case character class close common complex contains continue cycle
data deallocate default dimension do double else elseif elsewhere end enddo endif entry enum equivalence error exit
external file final flush forall format function generic go goto if implicit import in include inquire integer intent
interface intrinsic kind len logical module namelist none nullify only open operator optional out parameter pause
pointer precision print private procedure program protected public pure read real recursive result return rewind save
select sequence stop subroutine target then to type unit use value volatile wait where while write
merge aint min max modulo abs sign int all any sum size huge maxloc reshape transpose ceiling floor
t q qd qdd constants parameters given constant_values parameter_values unknowns coordinates bodies dp equations
prepare residual mass_matrix bias accelerations frames solve derivative runge_kutta simulate check print_line
print_numbers print_rows print_frames t_final step save_every columns initial_q initial_qd word error_unit
sign_of floor_of ceiling_of smaller larger
"""
_SHAPES = {"mass_matrix": "(unknowns, unknowns)", "frames": "(4, 4, bodies)"}


def _number(value: float) -> str:
    return f"{value!r}_dp"


def _reals(names: Iterable[str], kind: str = "real(dp)") -> list[str]:
    """Declarations, several where there are many: the lines of one statement are limited."""
    return packed(names, ", ", f"{kind} :: ")


def _assigned(pairs: Iterable[tuple[str, str]]) -> list[str]:
    return packed((f"{name} = {value}" for name, value in pairs), "; ")


def _declarations(layout: Layout, names: Iterable[str], conditions: Iterable[str]) -> list[str]:
    true_or_false = {*conditions, *layout.conditions}
    names = list(names)
    reals = _reals(x for x in names if x not in true_or_false)
    return reals + _reals((x for x in names if x in true_or_false), "logical")


def _results(layout: Layout, routine: Routine) -> list[str]:
    if routine.name == "frames":
        rows = layout.frame_rows(routine).items()
        return [f"out({i}, :, {body}) = [{row}]" for body, four in rows for i, row in enumerate(four, start=1)]
    n = range(1, len(layout.unknowns) + 1)
    places = [f"{i}, {j}" for i in n for j in n] if routine.name == "mass_matrix" else [str(i) for i in n]
    return [f"out({place}) = {text}" for place, text in zip(places, routine.results, strict=True)]


def _function(layout: Layout, key: str) -> list[str]:
    routine = layout.routine(key)
    arguments = layout.arguments(key)
    names = [name for _, _, name in routine.inputs] + [*routine.constants] + [s.name for s in routine.statements]
    lines = [f"real(dp), intent(in) :: {', '.join(['t', *(f'{x}(unknowns)' for x in arguments[1:])])}"]
    lines += ["type(constant_values), intent(in) :: constants"] * layout.has_constants
    lines += [f"real(dp) :: out{_SHAPES.get(key, '(unknowns)')}"]
    lines += _declarations(layout, names, (s.name for s in routine.statements if s.condition))
    for slot in ("q", "qd", "qdd"):
        lines += _assigned((name, f"{slot}({j + 1})") for s, j, name in routine.inputs if s == slot)
    lines += _assigned((name, f"constants%{name}") for name in routine.constants)
    lines += [f"{s.name} = {s.text}" for s in routine.statements] + _results(layout, routine)
    head = f"function {key}({', '.join(arguments)}{layout.passed}) result(out)"
    return [f"! {PROMISES[key]}", head, *(f"    {x}" for x in lines), "end function", ""]


def _parameters(layout: Layout) -> list[str]:
    values = [f"    real(dp) :: {x} = {_number(value)}" for x, value in layout.parameters.items()]
    return [
        "! The parameters: change their values here.",
        "type :: parameter_values", *values, "end type", "",
        "! What depends on parameters alone, worked out once by prepare.",
        "type :: constant_values",
        *(f"    {x}" for x in _declarations(layout, layout.prologue.results, ())),
        "end type",
    ]  # fmt: skip


def _prepare(layout: Layout) -> list[str]:
    p = layout.prologue
    names = [name for _, _, name in p.inputs] + [s.name for s in p.statements]
    lines = ["type(parameter_values), intent(in) :: given", "type(constant_values) :: constants"]
    lines += _declarations(layout, names, (s.name for s in p.statements if s.condition))
    lines += _assigned((name, f"given%{name}") for _, _, name in p.inputs)
    lines += [f"{s.name} = {s.text}" for s in p.statements]
    lines += _assigned((f"constants%{name}", name) for name in p.results)
    return ["function prepare(given) result(constants)", *(f"    {x}" for x in lines), "end function"]


def write(layout: Layout) -> str:
    """The whole file."""
    passed = layout.passed
    typed = ["type(constant_values), intent(in) :: constants"] * bool(passed)
    promise = f"! {PROMISES['accelerations']}"
    routines = layout.functions(_function, _SOLVE, _LINEAR, _NEWTON, promise=promise, typed=typed)
    bodies = ", ".join(["bodies = " + str(len(layout.bodies))])
    names = [bodies, *(f"{x} = {i}" for i, x in enumerate(layout.bodies, start=1))]
    texts = [f"{x}," for x in layout.columns]  # in pieces, as lines of Fortran end
    headings = packed((x[k : k + 100] for x in texts for k in range(0, len(x), 100)), "", "'", "' // &")
    headings[-1] = headings[-1].removesuffix(",' // &") + "'"
    initial = [
        f"{key}({j}) = {value}  ! {label}"
        for key, rows in layout.starts.items()
        for j, (value, label) in enumerate(rows, start=1)
    ]
    usage = [f'Compile:  gfortran -O2 -o {layout.name} "{layout.path.name}"', *layout.usage(f"./{layout.name}")]
    return fill(
        _TEMPLATE,
        {
            **layout.pieces,
            "header": commented(layout.header(usage), "!"),
            "name": layout.name,
            "body_names": packed(names, ", ", "integer, parameter :: ") if layout.bodies else [],
            "parameters": _parameters(layout) if layout.has_constants else [],
            "prepare": _prepare(layout) if layout.has_constants else [],
            "routines": routines,
            "columns": headings,
            "initial": initial,
            "typed": typed,
            "declared": ["type(parameter_values) :: parameters", "type(constant_values) :: constants"] * bool(passed),
            "prepared": ["constants = prepare(parameters)"] * bool(passed),
            "check_frames": [f"call print_frames(frames({layout.called_for_frames}))"] * bool(layout.bodies),
            "frame_printer": [*_FRAME_PRINTER.splitlines(), ""] if layout.bodies else [],
        },
        going_on="&",
    )


LANGUAGE = Language(
    name="Fortran",
    extension=".f90",
    comment="!",
    forms=COMMON
    | {
        "floor": call("floor_of"),
        "ceil": call("ceiling_of"),
        "sign": call("sign_of"),
        "pow": Form("{}**{}", Level.POWER, (Level.ATOM, Level.ATOM)),
        "and": logical(" .and. "),
        "or": logical(" .or. "),
        "not": Form(".not. {}", Level.COMPARISON, (Level.ATOM,)),
        "select": Form("merge({1}, {2}, {0})", Level.ATOM, (Level.ANY,) * 3),
    },
    number=_number,
    reserved=_RESERVED,
    write=write,
    helpers=_HELPERS,
    fold_case=True,
)
