"""E-mail backend of Flask-Mailman: `app.config["MAIL_BACKEND"] = "postmesh.flask"`."""

from __future__ import annotations

from typing import Any

from flask import current_app
from flask_mailman.backends.base import BaseEmailBackend

from ._mail import MailBackend


class EmailBackend(MailBackend, BaseEmailBackend):
    __doc__ = MailBackend.__doc__

    def _setting(self, name: str) -> Any:
        return current_app.config.get(name)
