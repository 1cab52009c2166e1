"""Bodies and responses of the API."""

from ._generated.models import *
