import { Body, Controller, Inject } from '@nestjs/common';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { LinkTokens } from '@postmesh/public-links';
import { body, Call, Operation, uuidParam, type ApiCall } from '@postmesh/service-host';
import { readContactEmail } from '../contacts/contact-email.rules.js';
import { RequestSignUp } from './request-sign-up.js';
import { FormErrors, SignUpBody, SignUpFormBody, type SignUpFormResource } from './sign-up-form.schema.js';
import { SignUpForms, type CountedForm } from './sign-up-forms.js';
import { SignUpMailer } from './sign-up-mailer.js';

/** Sign-up forms, for members in the console (decision 152). */
@Controller()
export class SignUpFormsController {
  constructor(
    private readonly forms: SignUpForms,
    private readonly requests: RequestSignUp,
    private readonly mailer: SignUpMailer,
    @Inject(LinkTokens) private readonly tokens: LinkTokens,
  ) {}

  @Operation('sign-up-forms.list')
  async list(@Call() { accountId }: ApiCall): Promise<ApiResponse> {
    const forms = await this.forms.list(accountId);
    const data = await Promise.all(forms.map((form) => this.resource(form)));
    return apiResponse(200, { object: 'list', data });
  }

  @Operation('sign-up-forms.create')
  async create(
    @Call() { accountId }: ApiCall,
    @Body(body(SignUpFormBody)) input: SignUpFormBody,
  ): Promise<ApiResponse> {
    return apiResponse(201, await this.resource(await this.forms.create(accountId, input)));
  }

  @Operation('sign-up-forms.get')
  async get(@Call() { accountId }: ApiCall, @uuidParam('sign_up_form_id') id: string): Promise<ApiResponse> {
    return apiResponse(200, await this.resource(await this.forms.get(accountId, id)));
  }

  @Operation('sign-up-forms.update')
  async update(
    @Call() { accountId }: ApiCall,
    @uuidParam('sign_up_form_id') id: string,
    @Body(body(SignUpFormBody)) input: SignUpFormBody,
  ): Promise<ApiResponse> {
    return apiResponse(200, await this.resource(await this.forms.update(accountId, id, input)));
  }

  @Operation('sign-up-forms.delete')
  async delete(
    @Call() { accountId }: ApiCall,
    @uuidParam('sign_up_form_id') id: string,
  ): Promise<ApiResponse> {
    const name = await this.forms.delete(accountId, id);
    return apiResponse(200, { message: `sign-up form ${id} (${name}) deleted successfully` });
  }

  /** Double opt-in: the address is asked, as if it had used the form. */
  @Operation('sign-ups.create')
  async ask(
    @Call() { accountId }: ApiCall,
    @uuidParam('sign_up_form_id') id: string,
    @Body(body(SignUpBody)) { first_name: firstName = '', last_name: lastName = '', ...input }: SignUpBody,
  ): Promise<ApiResponse> {
    const form = await this.forms.get(accountId, id);
    if (form.listName === null) throw FormErrors.closed();
    const email = readContactEmail(input.email);
    if (email === undefined) throw FormErrors.badAddress();
    const outcome = await this.requests.execute({
      form,
      email,
      firstName,
      lastName,
      way: 'console',
      attributes: {},
    });
    return apiResponse(202, { object: 'sign_up', email, outcome });
  }

  private async resource(form: CountedForm): Promise<SignUpFormResource> {
    const { id, accountId, welcomeTemplateId: template_id, welcomeSubject: subject } = form;
    const base = await this.mailer.baseUrl(form);
    return {
      object: 'sign_up_form',
      id,
      created_at: form.createdAt.toISOString(),
      updated_at: form.updatedAt.toISOString(),
      name: form.name,
      list_id: form.listId,
      list_name: form.listName,
      is_open: form.isOpen,
      fields: [...form.fields],
      attributes: [...form.attributes],
      texts: form.texts,
      text_version: form.textVersion,
      accent: form.accent,
      from: { email: form.fromEmail, name: form.fromName },
      welcome: template_id === null ? null : { template_id, subject },
      url: `${base}/f/${this.tokens.sign({ kind: 'form', formId: id, accountId })}`,
      waiting: form.waiting,
      confirmed: form.confirmed,
    };
  }
}
