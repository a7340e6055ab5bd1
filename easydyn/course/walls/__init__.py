"""The walls around graded submissions: one door, `run(submission, limits, ...) -> Outcome`.

Who changes an exercise need not know what is behind it: how a submission is isolated (jail.py), how its process is made
(nursery.py, inside.py), and how it is supervised (running.py, measure.py).
"""

from easydyn.course.walls.jail import WALLS as WALLS
from easydyn.course.walls.jail import there as there
from easydyn.course.walls.measure import lender as lender
from easydyn.course.walls.nursery import Nursery as Nursery
from easydyn.course.walls.running import Outcome as Outcome
from easydyn.course.walls.running import run as run
