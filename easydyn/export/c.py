"""C11: arrays, one function for each quantity, results in the last argument `out`."""

from __future__ import annotations

from collections.abc import Iterable

from easydyn.export.expressions import COMMON, Statement, call
from easydyn.export.layout import PROMISES, Language, Layout, Routine
from easydyn.export.macros import MACROS
from easydyn.export.text import commented, fill, packed

_TEMPLATE = """\
{{header}}

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { UNKNOWNS = {{unknowns}}, COORDINATES = {{coordinates}}, BODIES = {{bodies}} };  // states come after coordinates
{{body_names}}

{{parameters}}

// The run: change it here.
static const double t_final = {{t_final}};  // s
static const double step = {{step}};  // s, the longest step
static const double save_every = {{save_every}};  // s, between two lines of the table
static const double initial_q[UNKNOWNS] = {
    {{initial_q}}
};
static const double initial_qd[UNKNOWNS] = {
    {{initial_qd}}
};
static const char *const columns[] = {
    {{columns}}
};

{{helpers}}

{{prepare}}

{{routines}}
// The derivative of the state y = (q, qd).
void derivative(double t, const double y[2*UNKNOWNS]{{typed}}, double out[2*UNKNOWNS])
{
    for (int j = 0; j < UNKNOWNS; j++)
        out[j] = j < COORDINATES ? y[UNKNOWNS + j] : 0.0;
    accelerations(t, y, y + UNKNOWNS{{passed}}, out + UNKNOWNS);
}

// One step h of the classical Runge-Kutta method of fourth order.
void runge_kutta(double t, double h{{typed}}, double y[2*UNKNOWNS])
{
    double k1[2*UNKNOWNS], k2[2*UNKNOWNS], k3[2*UNKNOWNS], k4[2*UNKNOWNS], z[2*UNKNOWNS];
    derivative(t, y{{passed}}, k1);
    for (int j = 0; j < 2*UNKNOWNS; j++) z[j] = y[j] + h/2*k1[j];
    derivative(t + h/2, z{{passed}}, k2);
    for (int j = 0; j < 2*UNKNOWNS; j++) z[j] = y[j] + h/2*k2[j];
    derivative(t + h/2, z{{passed}}, k3);
    for (int j = 0; j < 2*UNKNOWNS; j++) z[j] = y[j] + h*k3[j];
    derivative(t + h, z{{passed}}, k4);
    for (int j = 0; j < 2*UNKNOWNS; j++) y[j] += h/6*(k1[j] + 2*k2[j] + 2*k3[j] + k4[j]);
}

void print_line(double t, const double y[2*UNKNOWNS])
{
    printf("%.15g", t);
    for (int j = 0; j < UNKNOWNS; j++) printf(",%.15g", j < COORDINATES ? y[j] : y[UNKNOWNS + j]);
    for (int j = 0; j < COORDINATES; j++) printf(",%.15g", y[UNKNOWNS + j]);
    printf("\\n");
}

// Integrates the motion and prints it as a table in CSV; 0 when all went well.
int simulate({{typed_alone}})
{
    double y[2*UNKNOWNS];
    memcpy(y, initial_q, sizeof initial_q);
    memcpy(y + UNKNOWNS, initial_qd, sizeof initial_qd);
    for (size_t k = 0; k < sizeof columns/sizeof columns[0]; k++) printf(k ? ",%s" : "%s", columns[k]);
    printf("\\n");
    print_line(0.0, y);
    double t = 0.0;
    for (long line = 1; t < t_final; line++) {
        double next = (double)line*save_every;
        if (next > t_final - 1e-9*save_every) next = t_final;
        const long steps = (long)fmax(1.0, ceil((next - t)/step - 1e-9));
        const double h = (next - t)/(double)steps;
        for (long k = 0; k < steps; k++) runge_kutta(t + (double)k*h, h{{passed}}, y);
        for (int j = 0; j < 2*UNKNOWNS; j++) {
            if (!isfinite(y[j])) {
                fprintf(stderr, "The motion is not finite after t = %g s. Try a smaller step.\\n", t);
                return 1;
            }
        }
        t = next;
        print_line(t, y);
    }
    return 0;
}

void print_numbers(const char *name, const double *values, int count)
{
    printf("%s", name);
    for (int k = 0; k < count; k++) printf(" %.17g", values[k]);
    printf("\\n");
}

// Reads t, q, qd, qdd of one state or of many, and prints what the functions above make of them.
int check({{typed_alone}})
{
    double state[1 + 3*UNKNOWNS], out[UNKNOWNS], M[UNKNOWNS][UNKNOWNS];
    for (;;) {
        for (int k = 0; k < 1 + 3*UNKNOWNS; k++)
            if (scanf("%lf", &state[k]) != 1) return k > 0;
        const double t = state[0], *q = state + 1, *qd = q + UNKNOWNS, *qdd = qd + UNKNOWNS;
        residual(t, q, qd, qdd{{passed}}, out);
        print_numbers("residual", out, UNKNOWNS);
        mass_matrix({{mass_arguments}}{{passed}}, M);
        print_numbers("mass_matrix", M[0], UNKNOWNS*UNKNOWNS);
        accelerations(t, q, qd{{passed}}, out);
        print_numbers("accelerations", out, UNKNOWNS);
        {{check_frames}}
    }
}

int main(int count, char **words)
{
    {{prepared}}
    if (count > 1 && strcmp(words[1], "check") == 0) return check({{given}});
    return simulate({{given}});
}
"""

SOLVE = """\
// Solves M x = b by elimination, the largest pivot of each column first; x takes the place of b, M is lost.
void solve(double M[UNKNOWNS][UNKNOWNS], double b[UNKNOWNS])
{
    for (int k = 0; k < UNKNOWNS; k++) {
        int pivot = k;
        for (int i = k + 1; i < UNKNOWNS; i++)
            if (fabs(M[i][k]) > fabs(M[pivot][k])) pivot = i;
        for (int j = 0; j < UNKNOWNS; j++) {
            const double kept = M[k][j];
            M[k][j] = M[pivot][j];
            M[pivot][j] = kept;
        }
        const double kept = b[k];
        b[k] = b[pivot];
        b[pivot] = kept;
        for (int i = k + 1; i < UNKNOWNS; i++) {
            const double factor = M[i][k]/M[k][k];
            for (int j = k; j < UNKNOWNS; j++) M[i][j] -= factor*M[k][j];
            b[i] -= factor*b[k];
        }
    }
    for (int i = UNKNOWNS - 1; i >= 0; i--) {
        for (int j = i + 1; j < UNKNOWNS; j++) b[i] -= M[i][j]*b[j];
        b[i] /= M[i][i];
    }
}
"""

_LINEAR = """\
{{promise}}
{{head}}
{
    double M[UNKNOWNS][UNKNOWNS];
    mass_matrix(t, q{{passed}}, M);
    bias(t, q, qd{{passed}}, out);
    solve(M, out);
    for (int j = 0; j < UNKNOWNS; j++) out[j] = -out[j];
}
"""

_NEWTON = """\
{{promise}}
// M depends on the accelerations or the rates: Newton's iteration.
{{head}}
{
    double M[UNKNOWNS][UNKNOWNS], change[UNKNOWNS];
    for (int j = 0; j < UNKNOWNS; j++) out[j] = 0.0;
    for (int iteration = 0; iteration < 30; iteration++) {
        mass_matrix(t, q, qd, out{{passed}}, M);
        residual(t, q, qd, out{{passed}}, change);
        solve(M, change);
        bool done = true;
        for (int j = 0; j < UNKNOWNS; j++) {
            out[j] -= change[j];
            done = done && fabs(change[j]) <= 1e-10*fabs(out[j]);
        }
        if (done) break;
    }
}
"""

_HELPERS = {
    "sign": "double sign_of(double x)\n{\n    return (x > 0) - (x < 0);\n}\n",
    "min": "double smaller(double a, double b)\n{\n    return a < b || isnan(a) ? a : b;\n}\n",
    "max": "double larger(double a, double b)\n{\n    return a > b || isnan(a) ? a : b;\n}\n",
    "mod": """\
// The remainder of x/y, with the sign of y.
double modulo(double x, double y)
{
    const double remainder = fmod(x, y);
    return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
}
""",
}

KEYWORDS = """
auto break case char const continue default do double else enum extern float for goto if inline int long register
restrict return short signed sizeof static struct switch typedef union unsigned void volatile while asm typeof fortran
linux unix i386 errno assert EOF NULL NAN INFINITY HUGE_VAL INT_MAX BUFSIZ stdin stdout stderr bool true false isnan
isfinite signbit fmin fmax fmod printf fprintf scanf memcpy strcmp main
"""
OWN = """
t q qd qdd out rows parameters constants given made Parameters Constants UNKNOWNS COORDINATES BODIES t_final step
save_every initial_q initial_qd columns prepare residual mass_matrix bias accelerations frames solve derivative
runge_kutta print_line print_numbers simulate check sign_of smaller larger modulo
"""
_SIZES = {"mass_matrix": "[UNKNOWNS][UNKNOWNS]", "frames": "[BODIES][4][4]"}


def declared(statement: Statement) -> str:
    """A variable that does not change, in C and in C++."""
    return f"const {'bool' if statement.condition else 'double'} {statement.name} = {statement.text};"


def taken(layout: Layout, names: Iterable[str], source: str) -> list[str]:
    """The names that a function uses, from a structure, in C and in C++."""
    names = list(names)
    lines = packed((f"{x} = {source}{x}" for x in names if x not in layout.conditions), ", ", "const double ", ";")
    return lines + packed((f"{x} = {source}{x}" for x in names if x in layout.conditions), ", ", "const bool ", ";")


def unpacked(layout: Layout, routine: Routine, source: str) -> list[str]:
    """The names that a function uses, from its arguments, in C and in C++."""
    lines: list[str] = []
    for slot in ("q", "qd", "qdd"):
        parts = [f"{name} = {slot}[{j}]" for s, j, name in routine.inputs if s == slot]
        lines += packed(parts, ", ", "const double ", ";")
    return lines + taken(layout, routine.constants, source)


def results(layout: Layout, routine: Routine) -> list[str]:
    """`out[0] = ...;` for every result of a program, in C and in C++."""
    n = range(len(layout.unknowns))
    places = [f"[{i}][{j}]" for i in n for j in n] if routine.name == "mass_matrix" else [f"[{i}]" for i in n]
    return [f"out{place} = {text};" for place, text in zip(places, routine.results, strict=True)]


def _frames(layout: Layout, routine: Routine) -> list[str]:
    lines = ["const double rows[BODIES][4][4] = {"]
    for body, rows in layout.frame_rows(routine).items():
        lines += [f"    [{body}] = {{", *(f"        {{ {row} }}," for row in rows), "    },"]
    return [*lines, "};", "memcpy(out, rows, sizeof rows);"]


def members(layout: Layout) -> list[str]:
    """The members of the structure of what depends on parameters alone, in C and in C++."""
    names = layout.prologue.results
    lines = packed((x for x in names if x not in layout.conditions), ", ", "double ", ";")
    return lines + packed((x for x in names if x in layout.conditions), ", ", "bool ", ";")


def starting(layout: Layout) -> dict[str, list[str]]:
    """The values at the start, each with its name, in C and in C++."""
    return {key: [f"{value},  // {label}" for value, label in rows] for key, rows in layout.starts.items()}


def named_bodies(layout: Layout, begin: str, separator: str) -> list[str]:
    """Constants that say which of the frames is whose."""
    return packed((f"{x} = {i}" for i, x in enumerate(layout.bodies)), ", ", begin, separator)


def _head(layout: Layout, key: str) -> str:
    arguments = ["double t", *(f"const double {x}[UNKNOWNS]" for x in layout.arguments(key)[1:])]
    arguments += ["const Constants *constants"] * layout.has_constants
    return f"void {key}({', '.join(arguments)}, double out{_SIZES.get(key, '[UNKNOWNS]')})"


def _function(layout: Layout, key: str) -> list[str]:
    routine = layout.routine(key)
    lines = packed((f"(void){x};" for x in layout.idle(routine)), " ")
    lines += unpacked(layout, routine, "constants->")
    lines += [declared(s) for s in routine.statements]
    lines += _frames(layout, routine) if key == "frames" else results(layout, routine)
    return [f"// {PROMISES[key]}", _head(layout, key), "{", *(f"    {x}" for x in lines), "}", ""]


def _parameters(layout: Layout) -> list[str]:
    width = max(map(len, layout.parameters))
    values = [f"    .{x:<{width}} = {layout.language.number(value)}," for x, value in layout.parameters.items()]
    return [
        "typedef struct {", *packed(layout.parameters, ", ", "    double ", ";"), "} Parameters;", "",
        "// The parameters: change their values here.",
        "static const Parameters parameters = {", *values, "};", "",
        "// What depends on parameters alone, worked out once by prepare.",
        "typedef struct {", *(f"    {x}" for x in members(layout)), "} Constants;",
    ]  # fmt: skip


def prepare(layout: Layout, given: str, source: str) -> list[str]:
    """The function that works out the constants from the parameter `given`, in C and in C++."""
    p = layout.prologue
    lines = taken(layout, (name for _, _, name in p.inputs), source) + [declared(s) for s in p.statements]
    lines += ["Constants made;", *packed((f"made.{x} = {x};" for x in p.results), " "), "return made;"]
    return [f"Constants prepare({given})", "{", *(f"    {x}" for x in lines), "}", ""]


def write(layout: Layout) -> str:
    """The whole file."""
    passed = layout.passed
    routines = layout.functions(
        _function, SOLVE, _LINEAR, _NEWTON,
        promise=f"// {PROMISES['accelerations']}", head=_head(layout, "accelerations"),
    )  # fmt: skip
    frames = [
        "double T[BODIES][4][4];", f"frames({layout.called_for_frames}, T);",
        'print_numbers("frames", T[0][0], 16*BODIES);'
    ]  # fmt: skip
    usage = [
        f'Compile:  cc -std=c11 -O2 -o {layout.name} "{layout.path.name}" -lm',
        *layout.usage(f"./{layout.name}"),
    ]
    return fill(
        _TEMPLATE,
        {
            **layout.pieces,
            "header": commented(layout.header(usage), "//"),
            "bodies": str(len(layout.bodies)),
            "body_names": named_bodies(layout, "enum { ", " };"),
            "parameters": _parameters(layout) if layout.has_constants else [],
            **starting(layout),
            "columns": packed((f'"{x}",' for x in layout.columns), " "),
            "prepare": prepare(layout, "const Parameters *given", "given->") if layout.has_constants else [],
            "routines": routines,
            "given": "&constants" if passed else "",
            "typed": ", const Constants *constants" if passed else "",
            "typed_alone": "const Constants *constants" if passed else "void",
            "check_frames": frames if layout.bodies else [],
            "prepared": ["const Constants constants = prepare(&parameters);"] * bool(passed),
        },
    )


LANGUAGE = Language(
    name="C",
    extension=".c",
    comment="//",
    forms=COMMON | {"abs": call("fabs"), "sign": call("sign_of")},
    number=repr,
    reserved=KEYWORDS + OWN + MACROS,
    write=write,
    helpers=_HELPERS,
)
