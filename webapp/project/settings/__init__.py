"""Django's settings, one file per concern. Values from outside come through ``webapp.project.env`` alone."""

from webapp.project.settings.api import *
from webapp.project.settings.core import *
from webapp.project.settings.data import *
from webapp.project.settings.limits import *
from webapp.project.settings.logs import *
from webapp.project.settings.queues import *
from webapp.project.settings.security import *
