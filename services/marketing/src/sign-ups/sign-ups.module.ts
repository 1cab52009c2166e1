import { Module } from '@nestjs/common';
import { AccountDirectory } from '@postmesh/accounts-contract';
import { CampaignTemplatesModule } from '../campaign-templates/campaign-templates.module.js';
import { CampaignsModule } from '../campaigns/campaigns.module.js';
import { ContactsModule } from '../contacts/contacts.module.js';
import { ListsModule } from '../lists/lists.module.js';
import { UnsubscribeModule } from '../unsubscribe/unsubscribe.module.js';
import { ConfirmSignUp } from './confirm-sign-up.js';
import { PublicSignUpsController } from './public-sign-ups.controller.js';
import { RequestSignUp } from './request-sign-up.js';
import { SignUpForms } from './sign-up-forms.js';
import { SignUpFormsController } from './sign-up-forms.controller.js';
import { SignUpMailer, SignUpSources } from './sign-up-mailer.js';
import { TakeForm } from './take-form.js';

/** Forms by which people join a list, and their confirmations. */
@Module({
  imports: [ListsModule, ContactsModule, CampaignTemplatesModule, CampaignsModule, UnsubscribeModule],
  controllers: [SignUpFormsController, PublicSignUpsController],
  providers: [
    AccountDirectory,
    SignUpForms,
    SignUpSources,
    SignUpMailer,
    RequestSignUp,
    TakeForm,
    ConfirmSignUp,
  ],
})
export class SignUpsModule {}
