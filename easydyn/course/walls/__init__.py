"""The walls around graded submissions: one door, `run(submission, limits, ...) -> Outcome`.

Who changes an exercise need not know what is behind it: how a submission is isolated (jail.py, filters.py), how its
process is made (nursery.py, copies.py, inside.py), and how it is supervised (running.py, measure.py).
"""

from easydyn.course.walls.jail import WALLS as WALLS
from easydyn.course.walls.jail import hide as hide
from easydyn.course.walls.jail import there as there
from easydyn.course.walls.measure import lender as lender
from easydyn.course.walls.nursery import Nursery as Nursery
from easydyn.course.walls.running import INTERRUPTED as INTERRUPTED
from easydyn.course.walls.running import Outcome as Outcome
from easydyn.course.walls.running import plain_environment as plain_environment
from easydyn.course.walls.running import run as run
