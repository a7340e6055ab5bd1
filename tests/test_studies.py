"""Many runs of one model: what is drawn, which runs there are, what is kept of each, whoever makes them."""

import numpy as np
import pytest
from mistakes import Mistake, explained
from scipy import stats

from easydyn import Normal, Uniform
from easydyn.errors import InputError
from easydyn.study.distributions import drawn, splitmix, uniform_numbers

MISTAKES = [
    Mistake("a range of no length", InputError, lambda b: Uniform(1, 1), "is empty: expected low below high",
        r"^Uniform\(1, 1\) is empty: expected low below high\.$"),
]  # fmt: skip
test_mistake_is_explained = explained(MISTAKES)


def test_what_is_drawn_has_the_distribution_that_was_asked_for():
    """By Kolmogorov's test, and no number is near its neighbour, nor near that of another name or seed."""
    runs = np.arange(20_000)
    for distribution, law in (
        (Uniform(-1, 3), stats.uniform(-1, 4)), (Normal(2, 0.5), stats.norm(2, 0.5)), (stats.gamma(2), stats.gamma(2)),
    ):  # fmt: skip
        assert stats.kstest(drawn(distribution, 1, "l1", runs), law.cdf).pvalue > 0.01
    u = uniform_numbers(1, "l1", runs)
    for other in (np.roll(u, 1), uniform_numbers(2, "l1", runs), uniform_numbers(1, "l2", runs)):
        assert abs(np.corrcoef(u, other)[0, 1]) < 0.03


def test_splitmix_is_that_of_the_article():
    """The first numbers of the generator as its authors' program gives them for the state 1234567."""
    published = [6457827717110365317, 3203168211198807973, 9817491932198370423, 4593380528125082431]
    assert splitmix(np.uint64(1234567), np.arange(4)).tolist() == published


@pytest.mark.parametrize("part", [slice(0, 10), slice(990, 1000), slice(None, None, 7)])
def test_a_run_draws_the_same_in_whatever_block_it_is(part):
    runs = np.arange(1000)
    for distribution in (Uniform(0, 1), Normal(0, 1)):
        whole = drawn(distribution, 3, "q1", runs)
        np.testing.assert_array_equal(whole[part], drawn(distribution, 3, "q1", runs[part]))
