from __future__ import annotations

import builtins
import datetime
from typing import Any, cast
from uuid import UUID

from ...._resource import AsyncResource, Resource
from ...models.campaign_template import CampaignTemplate
from ...models.campaign_template_list_item_page import CampaignTemplateListItemPage
from ...models.campaign_templates_create_body import CampaignTemplatesCreateBody
from ...models.campaign_templates_update_body import CampaignTemplatesUpdateBody
from ...models.error import Error
from ...models.message import Message
from ...types import UNSET, Unset
from . import (
    campaign_templates_create,
    campaign_templates_delete,
    campaign_templates_get,
    campaign_templates_list,
    campaign_templates_update,
)


class CampaignTemplatesOperations(Resource):
    def list(
        self,
        *,
        name: str | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> CampaignTemplateListItemPage:
        """List campaign templates

        Newest first, without their designs.

        Needs the scope `templates:read`.

        """
        return cast(
            "CampaignTemplateListItemPage",
            self._call(
                campaign_templates_list,
                account_id=self._account_id,
                name=name,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    def create(
        self,
        *,
        body: CampaignTemplatesCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> CampaignTemplate:
        """Create a campaign template

        A design for campaigns to copy: MJML or HTML, with its text, which is derived from the HTML unless
        it is given. MJML is compiled strictly, HTML is stored unchanged. Images and stylesheets need a full
        `https://` URL or one that is a
        whole `{{ variable }}`. The content must be renderable.

        Needs the scope `templates:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "CampaignTemplate",
            self._call(
                campaign_templates_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    def get(
        self,
        template_id: UUID,
    ) -> CampaignTemplate:
        """Get a campaign template

        Needs the scope `templates:read`.

        """
        return cast(
            "CampaignTemplate",
            self._call(
                campaign_templates_get,
                account_id=self._account_id,
                template_id=template_id,
            ),
        )

    def update(
        self,
        template_id: UUID,
        *,
        body: CampaignTemplatesUpdateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> CampaignTemplate:
        """Change a campaign template

        Omitted fields keep their value; campaigns made from the template do not change. A hand-written text
        stays with a new design
        unless `content.text` is given; `null` derives it from the HTML. MJML is compiled strictly, HTML is
        stored unchanged. Images and stylesheets need a full `https://` URL or one that is a
        whole `{{ variable }}`. The content must be renderable.

        Needs the scope `templates:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "CampaignTemplate",
            self._call(
                campaign_templates_update,
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
        """Delete a campaign template

        The deletion is final. Campaigns made from the template have their own copies.

        Needs the scope `templates:delete`.

        """
        return cast(
            "Message",
            self._call(
                campaign_templates_delete,
                account_id=self._account_id,
                template_id=template_id,
            ),
        )


class AsyncCampaignTemplatesOperations(AsyncResource):
    async def list(
        self,
        *,
        name: str | Unset = UNSET,
        limit: int | Unset = 100,
        after: str | Unset = UNSET,
        before: str | Unset = UNSET,
    ) -> CampaignTemplateListItemPage:
        """List campaign templates

        Newest first, without their designs.

        Needs the scope `templates:read`.

        """
        return cast(
            "CampaignTemplateListItemPage",
            await self._call(
                campaign_templates_list,
                account_id=self._account_id,
                name=name,
                limit=limit,
                after=after,
                before=before,
            ),
        )

    async def create(
        self,
        *,
        body: CampaignTemplatesCreateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> CampaignTemplate:
        """Create a campaign template

        A design for campaigns to copy: MJML or HTML, with its text, which is derived from the HTML unless
        it is given. MJML is compiled strictly, HTML is stored unchanged. Images and stylesheets need a full
        `https://` URL or one that is a
        whole `{{ variable }}`. The content must be renderable.

        Needs the scope `templates:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "CampaignTemplate",
            await self._call(
                campaign_templates_create,
                account_id=self._account_id,
                idempotency_key=idempotency_key,
                body=body,
            ),
        )

    async def get(
        self,
        template_id: UUID,
    ) -> CampaignTemplate:
        """Get a campaign template

        Needs the scope `templates:read`.

        """
        return cast(
            "CampaignTemplate",
            await self._call(
                campaign_templates_get,
                account_id=self._account_id,
                template_id=template_id,
            ),
        )

    async def update(
        self,
        template_id: UUID,
        *,
        body: CampaignTemplatesUpdateBody | dict[str, Any],
        idempotency_key: str | Unset = UNSET,
    ) -> CampaignTemplate:
        """Change a campaign template

        Omitted fields keep their value; campaigns made from the template do not change. A hand-written text
        stays with a new design
        unless `content.text` is given; `null` derives it from the HTML. MJML is compiled strictly, HTML is
        stored unchanged. Images and stylesheets need a full `https://` URL or one that is a
        whole `{{ variable }}`. The content must be renderable.

        Needs the scope `templates:write`.

        Takes an `Idempotency-Key`; the response is stored for 24 hours.

        """
        return cast(
            "CampaignTemplate",
            await self._call(
                campaign_templates_update,
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
        """Delete a campaign template

        The deletion is final. Campaigns made from the template have their own copies.

        Needs the scope `templates:delete`.

        """
        return cast(
            "Message",
            await self._call(
                campaign_templates_delete,
                account_id=self._account_id,
                template_id=template_id,
            ),
        )
