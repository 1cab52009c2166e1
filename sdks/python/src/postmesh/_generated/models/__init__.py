"""Contains all the data models used in inputs/outputs"""

from .account import Account
from .account_update_body import AccountUpdateBody
from .added_contacts import AddedContacts
from .added_contacts_data_item import AddedContactsDataItem
from .api_key import ApiKey
from .api_key_page import ApiKeyPage
from .api_key_scopes_item import ApiKeyScopesItem
from .api_keys_create_body import ApiKeysCreateBody
from .api_keys_update_body import ApiKeysUpdateBody
from .batch_contact_input import BatchContactInput
from .batch_contact_input_attributes_type_0 import BatchContactInputAttributesType0
from .bounce_bucket import BounceBucket
from .bounce_bucket_bounces_item import BounceBucketBouncesItem
from .bounce_bucket_list import BounceBucketList
from .campaign import Campaign
from .campaign_from_type_0 import CampaignFromType0
from .campaign_issue import CampaignIssue
from .campaign_list_item import CampaignListItem
from .campaign_list_item_from_type_0 import CampaignListItemFromType0
from .campaign_list_item_page import CampaignListItemPage
from .campaign_recipient import CampaignRecipient
from .campaign_recipient_page import CampaignRecipientPage
from .campaign_stats import CampaignStats
from .campaign_template import CampaignTemplate
from .campaign_template_list_item import CampaignTemplateListItem
from .campaign_template_list_item_page import CampaignTemplateListItemPage
from .campaign_templates_create_body import CampaignTemplatesCreateBody
from .campaign_templates_create_body_content import CampaignTemplatesCreateBodyContent
from .campaign_templates_update_body import CampaignTemplatesUpdateBody
from .campaign_templates_update_body_content import CampaignTemplatesUpdateBodyContent
from .campaign_test_result import CampaignTestResult
from .campaign_test_result_list import CampaignTestResultList
from .campaign_test_result_recipient import CampaignTestResultRecipient
from .campaigns_create_body import CampaignsCreateBody
from .campaigns_create_body_content import CampaignsCreateBodyContent
from .campaigns_create_body_from_type_0 import CampaignsCreateBodyFromType0
from .campaigns_duplicate_body import CampaignsDuplicateBody
from .campaigns_list_status_item import CampaignsListStatusItem
from .campaigns_preview_body import CampaignsPreviewBody
from .campaigns_preview_body_substitutions_type_0 import (
    CampaignsPreviewBodySubstitutionsType0,
)
from .campaigns_recipients_status import CampaignsRecipientsStatus
from .campaigns_send_body import CampaignsSendBody
from .campaigns_test_send_body import CampaignsTestSendBody
from .campaigns_update_body import CampaignsUpdateBody
from .campaigns_update_body_content import CampaignsUpdateBodyContent
from .campaigns_update_body_from_type_0 import CampaignsUpdateBodyFromType0
from .contact import Contact
from .contact_attributes import ContactAttributes
from .contact_batch_result import ContactBatchResult
from .contact_batch_result_data_item import ContactBatchResultDataItem
from .contact_list import ContactList
from .contact_list_membership import ContactListMembership
from .contact_list_membership_page import ContactListMembershipPage
from .contact_list_page import ContactListPage
from .contact_page import ContactPage
from .contacts_batch_body import ContactsBatchBody
from .contacts_create_body import ContactsCreateBody
from .contacts_create_body_attributes_type_0 import ContactsCreateBodyAttributesType0
from .contacts_create_body_status_type_1 import ContactsCreateBodyStatusType1
from .contacts_create_body_status_type_2_type_1 import (
    ContactsCreateBodyStatusType2Type1,
)
from .contacts_create_body_status_type_3_type_1 import (
    ContactsCreateBodyStatusType3Type1,
)
from .contacts_list_lists_subscription_status import ContactsListListsSubscriptionStatus
from .contacts_list_status import ContactsListStatus
from .contacts_update_body import ContactsUpdateBody
from .contacts_update_body_attributes_type_0 import ContactsUpdateBodyAttributesType0
from .contacts_update_body_status_type_1 import ContactsUpdateBodyStatusType1
from .contacts_update_body_status_type_2_type_1 import (
    ContactsUpdateBodyStatusType2Type1,
)
from .contacts_update_body_status_type_3_type_1 import (
    ContactsUpdateBodyStatusType3Type1,
)
from .created_api_key import CreatedApiKey
from .created_api_key_scopes_item import CreatedApiKeyScopesItem
from .deliverability_bucket import DeliverabilityBucket
from .deliverability_bucket_list import DeliverabilityBucketList
from .delivery_time_bucket import DeliveryTimeBucket
from .delivery_time_bucket_delivery_times_item import (
    DeliveryTimeBucketDeliveryTimesItem,
)
from .delivery_time_bucket_list import DeliveryTimeBucketList
from .dns_record import DnsRecord
from .domain import Domain
from .domain_dns_error_event import DomainDnsErrorEvent
from .domain_dns_error_event_data import DomainDnsErrorEventData
from .domain_page import DomainPage
from .domains_create_body import DomainsCreateBody
from .domains_create_body_sending_type import DomainsCreateBodySendingType
from .domains_list_sending_type import DomainsListSendingType
from .domains_update_body import DomainsUpdateBody
from .domains_update_body_sending_type import DomainsUpdateBodySendingType
from .error import Error
from .full_pagination import FullPagination
from .issue import Issue
from .list_contact import ListContact
from .list_member import ListMember
from .list_member_page import ListMemberPage
from .listed_contact_input import ListedContactInput
from .lists_add_contacts_body import ListsAddContactsBody
from .lists_create_body import ListsCreateBody
from .lists_list_contacts_subscription_status import ListsListContactsSubscriptionStatus
from .lists_put_contact_body import ListsPutContactBody
from .lists_put_contact_body_subscription_status_type_1 import (
    ListsPutContactBodySubscriptionStatusType1,
)
from .lists_put_contact_body_subscription_status_type_2_type_1 import (
    ListsPutContactBodySubscriptionStatusType2Type1,
)
from .lists_put_contact_body_subscription_status_type_3_type_1 import (
    ListsPutContactBodySubscriptionStatusType3Type1,
)
from .lists_update_body import ListsUpdateBody
from .member import Member
from .member_list import MemberList
from .members_add_body import MembersAddBody
from .members_add_body_role import MembersAddBodyRole
from .members_update_body import MembersUpdateBody
from .members_update_body_role import MembersUpdateBodyRole
from .message import Message
from .message_bounced_event import MessageBouncedEvent
from .message_bounced_event_data import MessageBouncedEventData
from .message_clicked_event import MessageClickedEvent
from .message_clicked_event_data import MessageClickedEventData
from .message_content import MessageContent
from .message_content_attachments_item import MessageContentAttachmentsItem
from .message_content_headers import MessageContentHeaders
from .message_content_parts_item import MessageContentPartsItem
from .message_delivered_event import MessageDeliveredEvent
from .message_delivered_event_data import MessageDeliveredEventData
from .message_failed_event import MessageFailedEvent
from .message_failed_event_data import MessageFailedEventData
from .message_opened_event import MessageOpenedEvent
from .message_opened_event_data import MessageOpenedEventData
from .message_preview import MessagePreview
from .message_preview_headers import MessagePreviewHeaders
from .message_reception_event import MessageReceptionEvent
from .message_reception_event_data import MessageReceptionEventData
from .message_record import MessageRecord
from .message_record_delivery_attempts_item import MessageRecordDeliveryAttemptsItem
from .message_summary import MessageSummary
from .message_summary_delivery_attempts_item import MessageSummaryDeliveryAttemptsItem
from .message_summary_page import MessageSummaryPage
from .message_suppressed_event import MessageSuppressedEvent
from .message_suppressed_event_data import MessageSuppressedEventData
from .message_transient_error_event import MessageTransientErrorEvent
from .message_transient_error_event_data import MessageTransientErrorEventData
from .messages_send_body import MessagesSendBody
from .messages_send_body_attachments_type_0_item import (
    MessagesSendBodyAttachmentsType0Item,
)
from .messages_send_body_from import MessagesSendBodyFrom
from .messages_send_body_headers_type_0_type_0 import MessagesSendBodyHeadersType0Type0
from .messages_send_body_headers_type_0_type_1_item import (
    MessagesSendBodyHeadersType0Type1Item,
)
from .messages_send_body_recipients_item import MessagesSendBodyRecipientsItem
from .messages_send_body_recipients_item_substitutions_type_0 import (
    MessagesSendBodyRecipientsItemSubstitutionsType0,
)
from .messages_send_body_reply_to_type_0 import MessagesSendBodyReplyToType0
from .messages_send_body_retention_type_0 import MessagesSendBodyRetentionType0
from .messages_send_body_sandbox_result_type_1 import MessagesSendBodySandboxResultType1
from .messages_send_body_sandbox_result_type_2_type_1 import (
    MessagesSendBodySandboxResultType2Type1,
)
from .messages_send_body_sandbox_result_type_3_type_1 import (
    MessagesSendBodySandboxResultType3Type1,
)
from .messages_send_body_schedule_type_0 import MessagesSendBodyScheduleType0
from .messages_send_body_substitutions_type_0 import MessagesSendBodySubstitutionsType0
from .messages_send_body_tracking_type_0 import MessagesSendBodyTrackingType0
from .messages_send_conversation_body import MessagesSendConversationBody
from .messages_send_conversation_body_attachments_type_0_item import (
    MessagesSendConversationBodyAttachmentsType0Item,
)
from .messages_send_conversation_body_bcc_type_0_item import (
    MessagesSendConversationBodyBccType0Item,
)
from .messages_send_conversation_body_bcc_type_0_item_substitutions_type_0 import (
    MessagesSendConversationBodyBccType0ItemSubstitutionsType0,
)
from .messages_send_conversation_body_cc_type_0_item import (
    MessagesSendConversationBodyCcType0Item,
)
from .messages_send_conversation_body_cc_type_0_item_substitutions_type_0 import (
    MessagesSendConversationBodyCcType0ItemSubstitutionsType0,
)
from .messages_send_conversation_body_from import MessagesSendConversationBodyFrom
from .messages_send_conversation_body_headers_type_0_type_0 import (
    MessagesSendConversationBodyHeadersType0Type0,
)
from .messages_send_conversation_body_headers_type_0_type_1_item import (
    MessagesSendConversationBodyHeadersType0Type1Item,
)
from .messages_send_conversation_body_reply_to_type_0 import (
    MessagesSendConversationBodyReplyToType0,
)
from .messages_send_conversation_body_retention_type_0 import (
    MessagesSendConversationBodyRetentionType0,
)
from .messages_send_conversation_body_sandbox_result_type_1 import (
    MessagesSendConversationBodySandboxResultType1,
)
from .messages_send_conversation_body_sandbox_result_type_2_type_1 import (
    MessagesSendConversationBodySandboxResultType2Type1,
)
from .messages_send_conversation_body_sandbox_result_type_3_type_1 import (
    MessagesSendConversationBodySandboxResultType3Type1,
)
from .messages_send_conversation_body_schedule_type_0 import (
    MessagesSendConversationBodyScheduleType0,
)
from .messages_send_conversation_body_to_item import MessagesSendConversationBodyToItem
from .messages_send_conversation_body_to_item_substitutions_type_0 import (
    MessagesSendConversationBodyToItemSubstitutionsType0,
)
from .messages_send_conversation_body_tracking_type_0 import (
    MessagesSendConversationBodyTrackingType0,
)
from .messages_send_template_body import MessagesSendTemplateBody
from .messages_send_template_body_attachments_type_0_item import (
    MessagesSendTemplateBodyAttachmentsType0Item,
)
from .messages_send_template_body_from_type_0 import MessagesSendTemplateBodyFromType0
from .messages_send_template_body_headers_type_0_type_0 import (
    MessagesSendTemplateBodyHeadersType0Type0,
)
from .messages_send_template_body_headers_type_0_type_1_item import (
    MessagesSendTemplateBodyHeadersType0Type1Item,
)
from .messages_send_template_body_recipients_item import (
    MessagesSendTemplateBodyRecipientsItem,
)
from .messages_send_template_body_recipients_item_substitutions_type_0 import (
    MessagesSendTemplateBodyRecipientsItemSubstitutionsType0,
)
from .messages_send_template_body_reply_to_type_0 import (
    MessagesSendTemplateBodyReplyToType0,
)
from .messages_send_template_body_retention_type_0 import (
    MessagesSendTemplateBodyRetentionType0,
)
from .messages_send_template_body_sandbox_result_type_1 import (
    MessagesSendTemplateBodySandboxResultType1,
)
from .messages_send_template_body_sandbox_result_type_2_type_1 import (
    MessagesSendTemplateBodySandboxResultType2Type1,
)
from .messages_send_template_body_sandbox_result_type_3_type_1 import (
    MessagesSendTemplateBodySandboxResultType3Type1,
)
from .messages_send_template_body_schedule_type_0 import (
    MessagesSendTemplateBodyScheduleType0,
)
from .messages_send_template_body_tracking_type_0 import (
    MessagesSendTemplateBodyTrackingType0,
)
from .new_route import NewRoute
from .new_smtp_credential import NewSmtpCredential
from .new_webhook import NewWebhook
from .pagination import Pagination
from .route import Route
from .route_call import RouteCall
from .route_call_data import RouteCallData
from .route_call_data_attachments_item import RouteCallDataAttachmentsItem
from .route_call_data_headers import RouteCallDataHeaders
from .route_page import RoutePage
from .routes_create_body import RoutesCreateBody
from .routes_recover_body import RoutesRecoverBody
from .routes_trigger_body import RoutesTriggerBody
from .routes_update_body import RoutesUpdateBody
from .send_result import SendResult
from .send_result_list import SendResultList
from .send_result_recipient import SendResultRecipient
from .send_result_recipient_substitutions import SendResultRecipientSubstitutions
from .send_result_schedule import SendResultSchedule
from .smtp_credential import SmtpCredential
from .smtp_credential_page import SmtpCredentialPage
from .smtp_credentials_create_body import SmtpCredentialsCreateBody
from .smtp_credentials_create_body_scope import SmtpCredentialsCreateBodyScope
from .statistics_bounce_group_by import StatisticsBounceGroupBy
from .statistics_deliverability_group_by import StatisticsDeliverabilityGroupBy
from .statistics_delivery_time_group_by import StatisticsDeliveryTimeGroupBy
from .sub_account import SubAccount
from .sub_account_api_keys_create_body import SubAccountApiKeysCreateBody
from .sub_account_api_keys_update_body import SubAccountApiKeysUpdateBody
from .sub_account_page import SubAccountPage
from .sub_account_usage import SubAccountUsage
from .sub_account_usage_billing_period import SubAccountUsageBillingPeriod
from .sub_account_usage_parent import SubAccountUsageParent
from .sub_account_usage_removed_sub_accounts import SubAccountUsageRemovedSubAccounts
from .sub_account_usage_sub_accounts_item import SubAccountUsageSubAccountsItem
from .sub_account_usage_total import SubAccountUsageTotal
from .sub_accounts_create_body import SubAccountsCreateBody
from .sub_accounts_suspend_body import SubAccountsSuspendBody
from .sub_accounts_update_body import SubAccountsUpdateBody
from .suppression import Suppression
from .suppression_created_event import SuppressionCreatedEvent
from .suppression_created_event_data import SuppressionCreatedEventData
from .suppression_list import SuppressionList
from .suppression_page import SuppressionPage
from .suppressions_create_body import SuppressionsCreateBody
from .template import Template
from .template_content import TemplateContent
from .template_draft import TemplateDraft
from .template_draft_from_type_0 import TemplateDraftFromType0
from .template_draft_reply_to_type_0 import TemplateDraftReplyToType0
from .template_from_type_0 import TemplateFromType0
from .template_list_item import TemplateListItem
from .template_list_item_from_type_0 import TemplateListItemFromType0
from .template_list_item_page import TemplateListItemPage
from .template_list_item_reply_to_type_0 import TemplateListItemReplyToType0
from .template_reply_to_type_0 import TemplateReplyToType0
from .template_variable import TemplateVariable
from .template_version import TemplateVersion
from .template_version_detail import TemplateVersionDetail
from .template_version_detail_from_type_0 import TemplateVersionDetailFromType0
from .template_version_detail_published_by_type_0 import (
    TemplateVersionDetailPublishedByType0,
)
from .template_version_detail_reply_to_type_0 import TemplateVersionDetailReplyToType0
from .template_version_list import TemplateVersionList
from .template_version_published_by_type_0 import TemplateVersionPublishedByType0
from .templates_create_body import TemplatesCreateBody
from .templates_create_body_content import TemplatesCreateBodyContent
from .templates_create_body_editor_type_1 import TemplatesCreateBodyEditorType1
from .templates_create_body_editor_type_2_type_1 import (
    TemplatesCreateBodyEditorType2Type1,
)
from .templates_create_body_editor_type_3_type_1 import (
    TemplatesCreateBodyEditorType3Type1,
)
from .templates_create_body_from_type_0 import TemplatesCreateBodyFromType0
from .templates_create_body_reply_to_type_0 import TemplatesCreateBodyReplyToType0
from .templates_preview_body import TemplatesPreviewBody
from .templates_preview_body_substitutions_type_0 import (
    TemplatesPreviewBodySubstitutionsType0,
)
from .templates_restore_version_body import TemplatesRestoreVersionBody
from .templates_update_body import TemplatesUpdateBody
from .templates_update_body_content import TemplatesUpdateBodyContent
from .templates_update_body_from_type_0 import TemplatesUpdateBodyFromType0
from .templates_update_body_reply_to_type_0 import TemplatesUpdateBodyReplyToType0
from .uncounted_contact_list import UncountedContactList
from .webhook import Webhook
from .webhook_delivery_attempt import WebhookDeliveryAttempt
from .webhook_page import WebhookPage
from .webhooks_create_body import WebhooksCreateBody
from .webhooks_create_body_scope import WebhooksCreateBodyScope
from .webhooks_recover_body import WebhooksRecoverBody
from .webhooks_trigger_body import WebhooksTriggerBody
from .webhooks_update_body import WebhooksUpdateBody
from .webhooks_update_body_scope_type_1 import WebhooksUpdateBodyScopeType1
from .webhooks_update_body_scope_type_2_type_1 import WebhooksUpdateBodyScopeType2Type1
from .webhooks_update_body_scope_type_3_type_1 import WebhooksUpdateBodyScopeType3Type1

__all__ = (
    "Account",
    "AccountUpdateBody",
    "AddedContacts",
    "AddedContactsDataItem",
    "ApiKey",
    "ApiKeyPage",
    "ApiKeyScopesItem",
    "ApiKeysCreateBody",
    "ApiKeysUpdateBody",
    "BatchContactInput",
    "BatchContactInputAttributesType0",
    "BounceBucket",
    "BounceBucketBouncesItem",
    "BounceBucketList",
    "Campaign",
    "CampaignFromType0",
    "CampaignIssue",
    "CampaignListItem",
    "CampaignListItemFromType0",
    "CampaignListItemPage",
    "CampaignRecipient",
    "CampaignRecipientPage",
    "CampaignStats",
    "CampaignTemplate",
    "CampaignTemplateListItem",
    "CampaignTemplateListItemPage",
    "CampaignTemplatesCreateBody",
    "CampaignTemplatesCreateBodyContent",
    "CampaignTemplatesUpdateBody",
    "CampaignTemplatesUpdateBodyContent",
    "CampaignTestResult",
    "CampaignTestResultList",
    "CampaignTestResultRecipient",
    "CampaignsCreateBody",
    "CampaignsCreateBodyContent",
    "CampaignsCreateBodyFromType0",
    "CampaignsDuplicateBody",
    "CampaignsListStatusItem",
    "CampaignsPreviewBody",
    "CampaignsPreviewBodySubstitutionsType0",
    "CampaignsRecipientsStatus",
    "CampaignsSendBody",
    "CampaignsTestSendBody",
    "CampaignsUpdateBody",
    "CampaignsUpdateBodyContent",
    "CampaignsUpdateBodyFromType0",
    "Contact",
    "ContactAttributes",
    "ContactBatchResult",
    "ContactBatchResultDataItem",
    "ContactList",
    "ContactListMembership",
    "ContactListMembershipPage",
    "ContactListPage",
    "ContactPage",
    "ContactsBatchBody",
    "ContactsCreateBody",
    "ContactsCreateBodyAttributesType0",
    "ContactsCreateBodyStatusType1",
    "ContactsCreateBodyStatusType2Type1",
    "ContactsCreateBodyStatusType3Type1",
    "ContactsListListsSubscriptionStatus",
    "ContactsListStatus",
    "ContactsUpdateBody",
    "ContactsUpdateBodyAttributesType0",
    "ContactsUpdateBodyStatusType1",
    "ContactsUpdateBodyStatusType2Type1",
    "ContactsUpdateBodyStatusType3Type1",
    "CreatedApiKey",
    "CreatedApiKeyScopesItem",
    "DeliverabilityBucket",
    "DeliverabilityBucketList",
    "DeliveryTimeBucket",
    "DeliveryTimeBucketDeliveryTimesItem",
    "DeliveryTimeBucketList",
    "DnsRecord",
    "Domain",
    "DomainDnsErrorEvent",
    "DomainDnsErrorEventData",
    "DomainPage",
    "DomainsCreateBody",
    "DomainsCreateBodySendingType",
    "DomainsListSendingType",
    "DomainsUpdateBody",
    "DomainsUpdateBodySendingType",
    "Error",
    "FullPagination",
    "Issue",
    "ListContact",
    "ListMember",
    "ListMemberPage",
    "ListedContactInput",
    "ListsAddContactsBody",
    "ListsCreateBody",
    "ListsListContactsSubscriptionStatus",
    "ListsPutContactBody",
    "ListsPutContactBodySubscriptionStatusType1",
    "ListsPutContactBodySubscriptionStatusType2Type1",
    "ListsPutContactBodySubscriptionStatusType3Type1",
    "ListsUpdateBody",
    "Member",
    "MemberList",
    "MembersAddBody",
    "MembersAddBodyRole",
    "MembersUpdateBody",
    "MembersUpdateBodyRole",
    "Message",
    "MessageBouncedEvent",
    "MessageBouncedEventData",
    "MessageClickedEvent",
    "MessageClickedEventData",
    "MessageContent",
    "MessageContentAttachmentsItem",
    "MessageContentHeaders",
    "MessageContentPartsItem",
    "MessageDeliveredEvent",
    "MessageDeliveredEventData",
    "MessageFailedEvent",
    "MessageFailedEventData",
    "MessageOpenedEvent",
    "MessageOpenedEventData",
    "MessagePreview",
    "MessagePreviewHeaders",
    "MessageReceptionEvent",
    "MessageReceptionEventData",
    "MessageRecord",
    "MessageRecordDeliveryAttemptsItem",
    "MessageSummary",
    "MessageSummaryDeliveryAttemptsItem",
    "MessageSummaryPage",
    "MessageSuppressedEvent",
    "MessageSuppressedEventData",
    "MessageTransientErrorEvent",
    "MessageTransientErrorEventData",
    "MessagesSendBody",
    "MessagesSendBodyAttachmentsType0Item",
    "MessagesSendBodyFrom",
    "MessagesSendBodyHeadersType0Type0",
    "MessagesSendBodyHeadersType0Type1Item",
    "MessagesSendBodyRecipientsItem",
    "MessagesSendBodyRecipientsItemSubstitutionsType0",
    "MessagesSendBodyReplyToType0",
    "MessagesSendBodyRetentionType0",
    "MessagesSendBodySandboxResultType1",
    "MessagesSendBodySandboxResultType2Type1",
    "MessagesSendBodySandboxResultType3Type1",
    "MessagesSendBodyScheduleType0",
    "MessagesSendBodySubstitutionsType0",
    "MessagesSendBodyTrackingType0",
    "MessagesSendConversationBody",
    "MessagesSendConversationBodyAttachmentsType0Item",
    "MessagesSendConversationBodyBccType0Item",
    "MessagesSendConversationBodyBccType0ItemSubstitutionsType0",
    "MessagesSendConversationBodyCcType0Item",
    "MessagesSendConversationBodyCcType0ItemSubstitutionsType0",
    "MessagesSendConversationBodyFrom",
    "MessagesSendConversationBodyHeadersType0Type0",
    "MessagesSendConversationBodyHeadersType0Type1Item",
    "MessagesSendConversationBodyReplyToType0",
    "MessagesSendConversationBodyRetentionType0",
    "MessagesSendConversationBodySandboxResultType1",
    "MessagesSendConversationBodySandboxResultType2Type1",
    "MessagesSendConversationBodySandboxResultType3Type1",
    "MessagesSendConversationBodyScheduleType0",
    "MessagesSendConversationBodyToItem",
    "MessagesSendConversationBodyToItemSubstitutionsType0",
    "MessagesSendConversationBodyTrackingType0",
    "MessagesSendTemplateBody",
    "MessagesSendTemplateBodyAttachmentsType0Item",
    "MessagesSendTemplateBodyFromType0",
    "MessagesSendTemplateBodyHeadersType0Type0",
    "MessagesSendTemplateBodyHeadersType0Type1Item",
    "MessagesSendTemplateBodyRecipientsItem",
    "MessagesSendTemplateBodyRecipientsItemSubstitutionsType0",
    "MessagesSendTemplateBodyReplyToType0",
    "MessagesSendTemplateBodyRetentionType0",
    "MessagesSendTemplateBodySandboxResultType1",
    "MessagesSendTemplateBodySandboxResultType2Type1",
    "MessagesSendTemplateBodySandboxResultType3Type1",
    "MessagesSendTemplateBodyScheduleType0",
    "MessagesSendTemplateBodyTrackingType0",
    "NewRoute",
    "NewSmtpCredential",
    "NewWebhook",
    "Pagination",
    "Route",
    "RouteCall",
    "RouteCallData",
    "RouteCallDataAttachmentsItem",
    "RouteCallDataHeaders",
    "RoutePage",
    "RoutesCreateBody",
    "RoutesRecoverBody",
    "RoutesTriggerBody",
    "RoutesUpdateBody",
    "SendResult",
    "SendResultList",
    "SendResultRecipient",
    "SendResultRecipientSubstitutions",
    "SendResultSchedule",
    "SmtpCredential",
    "SmtpCredentialPage",
    "SmtpCredentialsCreateBody",
    "SmtpCredentialsCreateBodyScope",
    "StatisticsBounceGroupBy",
    "StatisticsDeliverabilityGroupBy",
    "StatisticsDeliveryTimeGroupBy",
    "SubAccount",
    "SubAccountApiKeysCreateBody",
    "SubAccountApiKeysUpdateBody",
    "SubAccountPage",
    "SubAccountUsage",
    "SubAccountUsageBillingPeriod",
    "SubAccountUsageParent",
    "SubAccountUsageRemovedSubAccounts",
    "SubAccountUsageSubAccountsItem",
    "SubAccountUsageTotal",
    "SubAccountsCreateBody",
    "SubAccountsSuspendBody",
    "SubAccountsUpdateBody",
    "Suppression",
    "SuppressionCreatedEvent",
    "SuppressionCreatedEventData",
    "SuppressionList",
    "SuppressionPage",
    "SuppressionsCreateBody",
    "Template",
    "TemplateContent",
    "TemplateDraft",
    "TemplateDraftFromType0",
    "TemplateDraftReplyToType0",
    "TemplateFromType0",
    "TemplateListItem",
    "TemplateListItemFromType0",
    "TemplateListItemPage",
    "TemplateListItemReplyToType0",
    "TemplateReplyToType0",
    "TemplateVariable",
    "TemplateVersion",
    "TemplateVersionDetail",
    "TemplateVersionDetailFromType0",
    "TemplateVersionDetailPublishedByType0",
    "TemplateVersionDetailReplyToType0",
    "TemplateVersionList",
    "TemplateVersionPublishedByType0",
    "TemplatesCreateBody",
    "TemplatesCreateBodyContent",
    "TemplatesCreateBodyEditorType1",
    "TemplatesCreateBodyEditorType2Type1",
    "TemplatesCreateBodyEditorType3Type1",
    "TemplatesCreateBodyFromType0",
    "TemplatesCreateBodyReplyToType0",
    "TemplatesPreviewBody",
    "TemplatesPreviewBodySubstitutionsType0",
    "TemplatesRestoreVersionBody",
    "TemplatesUpdateBody",
    "TemplatesUpdateBodyContent",
    "TemplatesUpdateBodyFromType0",
    "TemplatesUpdateBodyReplyToType0",
    "UncountedContactList",
    "Webhook",
    "WebhookDeliveryAttempt",
    "WebhookPage",
    "WebhooksCreateBody",
    "WebhooksCreateBodyScope",
    "WebhooksRecoverBody",
    "WebhooksTriggerBody",
    "WebhooksUpdateBody",
    "WebhooksUpdateBodyScopeType1",
    "WebhooksUpdateBodyScopeType2Type1",
    "WebhooksUpdateBodyScopeType3Type1",
)
