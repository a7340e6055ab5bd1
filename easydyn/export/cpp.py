"""C++17: arrays as values, one function for each quantity."""

from __future__ import annotations

from easydyn.export.c import KEYWORDS as OF_C
from easydyn.export.c import OWN, declared, members, named_bodies, prepare, results, starting, unpacked
from easydyn.export.expressions import COMMON, call
from easydyn.export.layout import PROMISES, Language, Layout, Routine
from easydyn.export.macros import MACROS
from easydyn.export.text import commented, fill, packed

_TEMPLATE = """\
{{header}}

#include <algorithm>
#include <array>
#include <cmath>
#include <iomanip>
#include <iostream>
#include <string>

constexpr int UNKNOWNS = {{unknowns}}, COORDINATES = {{coordinates}};  // states come after coordinates
{{body_names}}

using Vector = std::array<double, UNKNOWNS>;
using Matrix = std::array<Vector, UNKNOWNS>;
{{frame_types}}

{{parameters}}

// The run: change it here.
constexpr double t_final = {{t_final}};  // s
constexpr double step = {{step}};  // s, the longest step
constexpr double save_every = {{save_every}};  // s, between two lines of the table
constexpr Vector initial_q = {
    {{initial_q}}
};
constexpr Vector initial_qd = {
    {{initial_qd}}
};
const char *const columns[] = {
    {{columns}}
};

{{helpers}}

{{prepare}}

{{routines}}
// The coordinates, states and rates at one time, or their derivatives.
struct State {
    Vector q, qd;
};

State derivative(double t, const State& y{{typed}})
{
    State out = { y.qd, accelerations(t, y.q, y.qd{{passed}}) };
    std::fill(out.q.begin() + COORDINATES, out.q.end(), 0.0);
    return out;
}

// y + h k
State moved(const State& y, double h, const State& k)
{
    State out = y;
    for (int j = 0; j < UNKNOWNS; j++) {
        out.q[j] += h*k.q[j];
        out.qd[j] += h*k.qd[j];
    }
    return out;
}

// One step h of the classical Runge-Kutta method of fourth order.
State runge_kutta(double t, double h, const State& y{{typed}})
{
    const State k1 = derivative(t, y{{passed}});
    const State k2 = derivative(t + h/2, moved(y, h/2, k1){{passed}});
    const State k3 = derivative(t + h/2, moved(y, h/2, k2){{passed}});
    const State k4 = derivative(t + h, moved(y, h, k3){{passed}});
    return moved(moved(moved(moved(y, h/6, k1), h/3, k2), h/3, k3), h/6, k4);
}

void print_line(double t, const State& y)
{
    std::cout << t;
    for (int j = 0; j < UNKNOWNS; j++) std::cout << "," << (j < COORDINATES ? y.q[j] : y.qd[j]);
    for (int j = 0; j < COORDINATES; j++) std::cout << "," << y.qd[j];
    std::cout << "\\n";
}

bool is_finite(const Vector& x)
{
    return std::all_of(x.begin(), x.end(), [](double each) { return std::isfinite(each); });
}

// Integrates the motion and prints it as a table in CSV; 0 when all went well.
int simulate({{typed_alone}})
{
    const char *separator = "";
    for (const char *column : columns) {
        std::cout << separator << column;
        separator = ",";
    }
    std::cout << "\\n" << std::setprecision(15);
    State y = { initial_q, initial_qd };
    print_line(0.0, y);
    double t = 0.0;
    for (long line = 1; t < t_final; line++) {
        double next = static_cast<double>(line)*save_every;
        if (next > t_final - 1e-9*save_every) next = t_final;
        const double steps = std::max(1.0, std::ceil((next - t)/step - 1e-9));
        const double h = (next - t)/steps;
        for (double k = 0; k < steps; k++) y = runge_kutta(t + k*h, h, y{{passed}});
        if (!is_finite(y.q) || !is_finite(y.qd)) {
            std::cerr << "The motion is not finite after t = " << t << " s. Try a smaller step.\\n";
            return 1;
        }
        t = next;
        print_line(t, y);
    }
    return 0;
}

void print_numbers(const char *name, const double *values, int count)
{
    std::cout << name;
    for (int k = 0; k < count; k++) std::cout << " " << values[k];
    std::cout << "\\n";
}

bool read(Vector& x)
{
    for (double& each : x)
        if (!(std::cin >> each)) return false;
    return true;
}

// Reads t, q, qd, qdd of one state or of many, and prints what the functions above make of them.
int check({{typed_alone}})
{
    double t;
    Vector q, qd, qdd;
    std::cout << std::setprecision(17);
    while (std::cin >> t) {
        if (!read(q) || !read(qd) || !read(qdd)) return 1;
        print_numbers("residual", residual(t, q, qd, qdd{{passed}}).data(), UNKNOWNS);
        print_numbers("mass_matrix", mass_matrix({{mass_arguments}}{{passed}})[0].data(), UNKNOWNS*UNKNOWNS);
        print_numbers("accelerations", accelerations(t, q, qd{{passed}}).data(), UNKNOWNS);
        {{check_frames}}
    }
    return 0;
}

int main(int count, char **words)
{
    {{prepared}}
    return count > 1 && std::string(words[1]) == "check" ? check({{passed_alone}}) : simulate({{passed_alone}});
}
"""

_SOLVE = """\
// The x of M x = b, by elimination, the largest pivot of each column first.
Vector solve(Matrix M, Vector b)
{
    for (int k = 0; k < UNKNOWNS; k++) {
        int pivot = k;
        for (int i = k + 1; i < UNKNOWNS; i++)
            if (std::abs(M[i][k]) > std::abs(M[pivot][k])) pivot = i;
        std::swap(M[k], M[pivot]);
        std::swap(b[k], b[pivot]);
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
    return b;
}
"""

_LINEAR = """\
{{promise}}
{{head}}
{
    Vector out = solve(mass_matrix(t, q{{passed}}), bias(t, q, qd{{passed}}));
    for (double& each : out) each = -each;
    return out;
}
"""

_NEWTON = """\
{{promise}}
// M depends on the accelerations or the rates: Newton's iteration.
{{head}}
{
    Vector out = {};
    for (int iteration = 0; iteration < 30; iteration++) {
        const Vector change = solve(mass_matrix(t, q, qd, out{{passed}}), residual(t, q, qd, out{{passed}}));
        bool done = true;
        for (int j = 0; j < UNKNOWNS; j++) {
            out[j] -= change[j];
            done = done && std::abs(change[j]) <= 1e-10*std::abs(out[j]);
        }
        if (done) break;
    }
    return out;
}
"""

_HELPERS = {
    "sign": "double sign_of(double x)\n{\n    return (x > 0) - (x < 0);\n}\n",
    "min": "double smaller(double a, double b)\n{\n    return a < b || std::isnan(a) ? a : b;\n}\n",
    "max": "double larger(double a, double b)\n{\n    return a > b || std::isnan(a) ? a : b;\n}\n",
    "mod": """\
// The remainder of x/y, with the sign of y.
double modulo(double x, double y)
{
    const double remainder = std::fmod(x, y);
    return remainder != 0 && (remainder < 0) != (y < 0) ? remainder + y : remainder;
}
""",
}

_KEYWORDS = """
alignas alignof and and_eq asm bitand bitor catch char8_t char16_t char32_t class compl concept consteval constexpr
constinit const_cast co_await co_return co_yield decltype delete dynamic_cast explicit export friend mutable namespace
new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast requires static_assert
static_cast template this thread_local throw try typeid typename using virtual wchar_t xor xor_eq std
Vector Matrix Frame Frames State moved is_finite read
"""
_TYPES = {"mass_matrix": "Matrix", "frames": "Frames"}
_LIBRARY = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh",
            "exp", "log", "sqrt", "pow", "abs", "floor", "ceil")  # fmt: skip


def _head(layout: Layout, key: str, idle: tuple[str, ...] = ()) -> str:
    """The head of a function; a parameter that it does not use has its name in a comment."""
    arguments = [("double ", "t"), *(("const Vector& ", x) for x in layout.arguments(key)[1:])]
    arguments += [("const Constants& ", "constants")] * layout.has_constants
    listed = ", ".join(f"{kind}/* {x} */" if x in idle else f"{kind}{x}" for kind, x in arguments)
    return f"{_TYPES.get(key, 'Vector')} {key}({listed})"


def _frames(layout: Layout, routine: Routine) -> list[str]:
    lines: list[str] = []
    for body, rows in layout.frame_rows(routine).items():
        lines += [f"out[{body}] = {{{{", *(f"    {{{{ {row} }}}}," for row in rows), "}};"]
    return lines


def _function(layout: Layout, key: str) -> list[str]:
    routine = layout.routine(key)
    lines = unpacked(layout, routine, "constants.") + [declared(s) for s in routine.statements]
    lines += [f"{_TYPES.get(key, 'Vector')} out;"]
    lines += _frames(layout, routine) if key == "frames" else results(layout, routine)
    lines += ["return out;"]
    head = _head(layout, key, layout.idle(routine))
    return [f"// {PROMISES[key]}", head, "{", *(f"    {x}" for x in lines), "}", ""]


def _parameters(layout: Layout) -> list[str]:
    values = [f"    double {x} = {layout.language.number(value)};" for x, value in layout.parameters.items()]
    return [
        "// The parameters: change their values here.",
        "struct Parameters {", *values, "};", "",
        "// What depends on parameters alone, worked out once by prepare.",
        "struct Constants {", *(f"    {x}" for x in members(layout)), "};",
    ]  # fmt: skip


def write(layout: Layout) -> str:
    """The whole file."""
    passed = layout.passed
    routines = layout.functions(
        _function, _SOLVE, _LINEAR, _NEWTON,
        promise=f"// {PROMISES['accelerations']}", head=_head(layout, "accelerations"),
    )  # fmt: skip
    types = [
        "using Frame = std::array<std::array<double, 4>, 4>;",
        f"using Frames = std::array<Frame, {len(layout.bodies)}>;",
    ]
    functions = packed((f"std::{x}" for x in _LIBRARY if x in layout.operations), ", ", "using ", ";")
    usage = [
        f'Compile:  c++ -std=c++17 -O2 -o {layout.name} "{layout.path.name}"',
        *layout.usage(f"./{layout.name}"),
    ]
    return fill(
        _TEMPLATE,
        {
            **layout.pieces,
            "header": commented(layout.header(usage), "//"),
            "body_names": named_bodies(layout, "constexpr int ", ";"),
            "frame_types": types if layout.bodies else [],
            "parameters": _parameters(layout) if layout.has_constants else [],
            **starting(layout),
            "columns": packed((f'"{x}",' for x in layout.columns), " "),
            "helpers": [*functions, "", *layout.helpers],
            "prepare": prepare(layout, "const Parameters& given", "given.") if layout.has_constants else [],
            "routines": routines,
            "passed_alone": passed[2:],
            "typed": ", const Constants& constants" if passed else "",
            "typed_alone": "const Constants& constants" if passed else "",
            "check_frames": [
                f'print_numbers("frames", frames({layout.called_for_frames})[0][0].data(), {16 * len(layout.bodies)});'
            ] * bool(layout.bodies),
            "prepared": ["const Constants constants = prepare(Parameters());"] * bool(passed),
        },
    )  # fmt: skip


LANGUAGE = Language(
    name="C++",
    extension=".cpp",
    comment="//",
    forms=COMMON | {"sign": call("sign_of")},
    number=repr,
    reserved=OF_C + _KEYWORDS + OWN + MACROS,
    write=write,
    helpers=_HELPERS,
)
