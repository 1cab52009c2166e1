"""E-mail backend of Django: `EMAIL_BACKEND = "postmesh.django.EmailBackend"`."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.core.mail.backends.base import BaseEmailBackend

from ._mail import MailBackend


class EmailBackend(MailBackend, BaseEmailBackend):
    __doc__ = MailBackend.__doc__

    def _setting(self, name: str) -> Any:
        return getattr(settings, name, None)
