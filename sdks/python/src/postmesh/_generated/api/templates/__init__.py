from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.error import Error
from ...models.message import Message
from ...models.message_preview import MessagePreview
from ...models.template import Template
from ...models.template_draft import TemplateDraft
from ...models.template_list_item_page import TemplateListItemPage
from ...models.template_version_detail import TemplateVersionDetail
from ...models.template_version_list import TemplateVersionList
from ...models.templates_create_body import TemplatesCreateBody
from ...models.templates_preview_body import TemplatesPreviewBody
from ...models.templates_restore_version_body import TemplatesRestoreVersionBody
from ...models.templates_update_body import TemplatesUpdateBody
from ...types import UNSET, Unset
from . import (
    templates_create,
    templates_delete,
    templates_discard_draft,
    templates_get,
    templates_get_draft,
    templates_get_version,
    templates_list,
    templates_list_versions,
    templates_preview,
    templates_publish,
    templates_restore_version,
    templates_update,
)


class TemplatesOperations(Resource):
    def list(
        self,
        *,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> TemplateListItemPage:
        """List templates

        As they are published, newest first, without their bodies.

        Needs the scope `templates:read`.

        """
        return cast(
            "TemplateListItemPage",
            self._call(
                templates_list,
                account_id=self._account_id,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    def create(
        self,
        *,
        body: TemplatesCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> Template:
        """Create a template

        Everything but the name goes into a draft, which `publish` makes the published copy. MJML is
        compiled
        strictly, HTML is kept as it is, and the text is made from the HTML unless one is given. Images and
        stylesheets need a full
        `https://` URL or one that begins with a `{{ variable }}`.

        Needs the scope `templates:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Template",
            self._call(
                templates_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def get(
        self,
        template_id: UUID,
    ) -> Template:
        """Get a template

        Needs the scope `templates:read`.

        """
        return cast(
            "Template",
            self._call(
                templates_get,
                account_id=self._account_id,
                template_id=template_id,
            ),
        )

    def update(
        self,
        template_id: UUID,
        *,
        body: TemplatesUpdateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> Template:
        """Change a template

        Fields that are left out stay as they are in the draft, or else in the published copy. The name
        changes
        at once, everything else in the draft. A design that is sent back as it is stored is not compiled
        again; a new one has its
        text made again, unless one is given with it.

        Needs the scope `templates:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Template",
            self._call(
                templates_update,
                account_id=self._account_id,
                template_id=template_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def delete(
        self,
        template_id: UUID,
    ) -> Message:
        """Delete a template

        Sends of it are refused from now on. Messages keep its id.

        Needs the scope `templates:delete`.

        """
        return cast(
            "Message",
            self._call(
                templates_delete,
                account_id=self._account_id,
                template_id=template_id,
            ),
        )

    def get_draft(
        self,
        template_id: UUID,
    ) -> TemplateDraft:
        """Get the draft of a template

        Needs the scope `templates:read`.

        """
        return cast(
            "TemplateDraft",
            self._call(
                templates_get_draft,
                account_id=self._account_id,
                template_id=template_id,
            ),
        )

    def discard_draft(
        self,
        template_id: UUID,
    ) -> Template:
        """Discard the draft of a template

        Without a draft nothing happens.

        Needs the scope `templates:write`.

        """
        return cast(
            "Template",
            self._call(
                templates_discard_draft,
                account_id=self._account_id,
                template_id=template_id,
            ),
        )

    def publish(
        self,
        template_id: UUID,
        *,
        idempotency_key: str | Unset = UNSET,
    ) -> Template:
        """Publish the draft of a template

        The whole draft becomes the published copy and a new version. Without a draft nothing happens. A
        body
        is ignored.

        Needs the scope `templates:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Template",
            self._call(
                templates_publish,
                account_id=self._account_id,
                template_id=template_id,
                idempotency_key=idempotency_key,
            ),
        )

    def preview(
        self,
        template_id: UUID,
        *,
        body: TemplatesPreviewBody | dict[str, Any] | Unset = UNSET,
    ) -> MessagePreview:
        """Preview a template

        Renders the message to one recipient, of the draft where there is one; nothing is sent or stored. A
        part that cannot
        be rendered is left out and named in `issues`, as are required variables without a value. Links to
        unsubscribe are those of a test.

        Needs the scope `templates:read`.

        """
        return cast(
            "MessagePreview",
            self._call(
                templates_preview,
                account_id=self._account_id,
                template_id=template_id,
                body=body,
            ),
        )

    def list_versions(
        self,
        template_id: UUID,
    ) -> TemplateVersionList:
        """List the versions of a template

        The 50 newest are kept. Newest first.

        Needs the scope `templates:read`.

        """
        return cast(
            "TemplateVersionList",
            self._call(
                templates_list_versions,
                account_id=self._account_id,
                template_id=template_id,
            ),
        )

    def get_version(
        self,
        template_id: UUID,
        version_id: UUID,
    ) -> TemplateVersionDetail:
        """Get a version of a template

        Needs the scope `templates:read`.

        """
        return cast(
            "TemplateVersionDetail",
            self._call(
                templates_get_version,
                account_id=self._account_id,
                template_id=template_id,
                version_id=version_id,
            ),
        )

    def restore_version(
        self,
        template_id: UUID,
        version_id: UUID,
        *,
        body: TemplatesRestoreVersionBody | dict[str, Any] | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Template:
        """Restore a version of a template

        It replaces the draft; with `publish` it is published, too.

        Needs the scope `templates:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Template",
            self._call(
                templates_restore_version,
                account_id=self._account_id,
                template_id=template_id,
                version_id=version_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )


class AsyncTemplatesOperations(AsyncResource):
    async def list(
        self,
        *,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> TemplateListItemPage:
        """List templates

        As they are published, newest first, without their bodies.

        Needs the scope `templates:read`.

        """
        return cast(
            "TemplateListItemPage",
            await self._call(
                templates_list,
                account_id=self._account_id,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    async def create(
        self,
        *,
        body: TemplatesCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> Template:
        """Create a template

        Everything but the name goes into a draft, which `publish` makes the published copy. MJML is
        compiled
        strictly, HTML is kept as it is, and the text is made from the HTML unless one is given. Images and
        stylesheets need a full
        `https://` URL or one that begins with a `{{ variable }}`.

        Needs the scope `templates:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Template",
            await self._call(
                templates_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def get(
        self,
        template_id: UUID,
    ) -> Template:
        """Get a template

        Needs the scope `templates:read`.

        """
        return cast(
            "Template",
            await self._call(
                templates_get,
                account_id=self._account_id,
                template_id=template_id,
            ),
        )

    async def update(
        self,
        template_id: UUID,
        *,
        body: TemplatesUpdateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> Template:
        """Change a template

        Fields that are left out stay as they are in the draft, or else in the published copy. The name
        changes
        at once, everything else in the draft. A design that is sent back as it is stored is not compiled
        again; a new one has its
        text made again, unless one is given with it.

        Needs the scope `templates:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Template",
            await self._call(
                templates_update,
                account_id=self._account_id,
                template_id=template_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def delete(
        self,
        template_id: UUID,
    ) -> Message:
        """Delete a template

        Sends of it are refused from now on. Messages keep its id.

        Needs the scope `templates:delete`.

        """
        return cast(
            "Message",
            await self._call(
                templates_delete,
                account_id=self._account_id,
                template_id=template_id,
            ),
        )

    async def get_draft(
        self,
        template_id: UUID,
    ) -> TemplateDraft:
        """Get the draft of a template

        Needs the scope `templates:read`.

        """
        return cast(
            "TemplateDraft",
            await self._call(
                templates_get_draft,
                account_id=self._account_id,
                template_id=template_id,
            ),
        )

    async def discard_draft(
        self,
        template_id: UUID,
    ) -> Template:
        """Discard the draft of a template

        Without a draft nothing happens.

        Needs the scope `templates:write`.

        """
        return cast(
            "Template",
            await self._call(
                templates_discard_draft,
                account_id=self._account_id,
                template_id=template_id,
            ),
        )

    async def publish(
        self,
        template_id: UUID,
        *,
        idempotency_key: str | Unset = UNSET,
    ) -> Template:
        """Publish the draft of a template

        The whole draft becomes the published copy and a new version. Without a draft nothing happens. A
        body
        is ignored.

        Needs the scope `templates:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Template",
            await self._call(
                templates_publish,
                account_id=self._account_id,
                template_id=template_id,
                idempotency_key=idempotency_key,
            ),
        )

    async def preview(
        self,
        template_id: UUID,
        *,
        body: TemplatesPreviewBody | dict[str, Any] | Unset = UNSET,
    ) -> MessagePreview:
        """Preview a template

        Renders the message to one recipient, of the draft where there is one; nothing is sent or stored. A
        part that cannot
        be rendered is left out and named in `issues`, as are required variables without a value. Links to
        unsubscribe are those of a test.

        Needs the scope `templates:read`.

        """
        return cast(
            "MessagePreview",
            await self._call(
                templates_preview,
                account_id=self._account_id,
                template_id=template_id,
                body=body,
            ),
        )

    async def list_versions(
        self,
        template_id: UUID,
    ) -> TemplateVersionList:
        """List the versions of a template

        The 50 newest are kept. Newest first.

        Needs the scope `templates:read`.

        """
        return cast(
            "TemplateVersionList",
            await self._call(
                templates_list_versions,
                account_id=self._account_id,
                template_id=template_id,
            ),
        )

    async def get_version(
        self,
        template_id: UUID,
        version_id: UUID,
    ) -> TemplateVersionDetail:
        """Get a version of a template

        Needs the scope `templates:read`.

        """
        return cast(
            "TemplateVersionDetail",
            await self._call(
                templates_get_version,
                account_id=self._account_id,
                template_id=template_id,
                version_id=version_id,
            ),
        )

    async def restore_version(
        self,
        template_id: UUID,
        version_id: UUID,
        *,
        body: TemplatesRestoreVersionBody | dict[str, Any] | Unset = UNSET,
        idempotency_key: str | Unset = UNSET,
    ) -> Template:
        """Restore a version of a template

        It replaces the draft; with `publish` it is published, too.

        Needs the scope `templates:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "Template",
            await self._call(
                templates_restore_version,
                account_id=self._account_id,
                template_id=template_id,
                version_id=version_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )
