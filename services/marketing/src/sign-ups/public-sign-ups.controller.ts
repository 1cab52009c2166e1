import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { badFormPage, badLinkPage, LinkTokens, readFormFields, sendPublicPage } from '@postmesh/public-links';
import { ConfirmSignUp } from './confirm-sign-up.js';
import { isJson, jsonForm, readJsonFields } from './sign-up-json.rules.js';
import { SignUpForms, type SignUpForm } from './sign-up-forms.js';
import {
  askedPage,
  closedPage,
  confirmedPage,
  confirmPage,
  formPage,
  frozenPage,
  gonePage,
  lookOf,
  mostFields,
} from './sign-up-pages.js';
import { filledIn, TakeForm, type FormFault } from './take-form.js';

const PROBLEMS: Record<Extract<FormFault, string>, string> = {
  address: 'Please enter a valid email address.',
  consent: 'Please tick the box, and press the button once more.',
  time: 'Please press the button once more.',
};
const JSON_PROBLEMS: typeof PROBLEMS = {
  address: 'email must be a valid email address',
  consent: 'consent must be true',
  time: 't must be of a GET of this form, a second to a day before',
};

const problemOf = (fault: FormFault): string => {
  if (typeof fault === 'string') return PROBLEMS[fault];
  return `${fault.isMissing ? 'Please fill in' : 'Please check'} “${fault.label}”.`;
};
const jsonProblemOf = (fault: FormFault): string =>
  typeof fault === 'string' ? JSON_PROBLEMS[fault] : fault.message;

/** The pages of sign-ups (decision 152): the form, and the confirmation that its mail leads to. */
@Controller('public')
export class PublicSignUpsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly tokens: LinkTokens,
    private readonly forms: SignUpForms,
    private readonly taken: TakeForm,
    private readonly confirmations: ConfirmSignUp,
  ) {}

  @Get('f/:token')
  async showForm(
    @Param('token') token: string,
    @Req() { headers }: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (isJson(headers.accept)) return this.showJson(token, reply);
    const form = await this.formOf(token, reply);
    if (form) sendPublicPage(reply, 200, formPage(form, this.taken.timeOf(form)), lookOf(form));
  }

  @Post('f/:token')
  async signUp(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    if (isJson(request.headers['content-type'])) return this.signUpJson(token, request.body, reply);
    const form = await this.formOf(token, reply);
    if (!form) return;
    const given = await readFormFields(request.headers['content-type'], request.body, mostFields(form));
    if (!given) return sendPublicPage(reply, 400, badFormPage());
    const fault = await this.taken.execute(form, given);
    if (fault === undefined) return sendPublicPage(reply, 200, askedPage(form), lookOf(form));
    const filled = { given: filledIn(form, given), problem: problemOf(fault) };
    sendPublicPage(reply, 200, formPage(form, this.taken.timeAgain(form, given), filled), lookOf(form));
  }

  /** The same as `GET` in JSON, for a page of the account's own (decision 152). */
  private async showJson(token: string, reply: FastifyReply): Promise<void> {
    const form = await this.jsonFormOf(token, reply);
    if (form) void reply.status(200).send(jsonForm(form, this.taken.timeOf(form)));
  }

  private async signUpJson(token: string, body: unknown, reply: FastifyReply): Promise<void> {
    const form = await this.jsonFormOf(token, reply);
    if (!form) return;
    const read = readJsonFields(body, form);
    if (typeof read === 'string') return void reply.status(400).send({ message: read });
    const fault = await this.taken.execute(form, read.fields, read.answers);
    if (fault !== undefined) return void reply.status(400).send({ message: jsonProblemOf(fault) });
    void reply.status(202).send({ object: 'sign_up', message: form.texts.thanks });
  }

  private async jsonFormOf(token: string, reply: FastifyReply): Promise<SignUpForm | undefined> {
    const form = await this.find(token);
    if (form?.isOpen && form.listName !== null) return form;
    void reply.status(form ? 410 : 404).send({ message: form ? 'this form is closed' : 'form not found' });
    return undefined;
  }

  /** Changes nothing: mailbox providers and virus scanners follow links. */
  @Get('j/:token')
  async showConfirmation(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    const link = this.tokens.read(token);
    if (link?.kind !== 'confirm') return sendPublicPage(reply, 404, badLinkPage());
    const found = await this.confirmations.find(link);
    if (!found) return sendPublicPage(reply, 410, gonePage());
    const look = { ...lookOf(found.form), framed: false };
    sendPublicPage(reply, 200, confirmPage(found.form, found.toConfirm), look);
  }

  @Post('j/:token')
  async confirm(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const link = this.tokens.read(token);
    if (link?.kind !== 'confirm') return sendPublicPage(reply, 404, badLinkPage());
    const given = await readFormFields(request.headers['content-type'], request.body, 2);
    if (given?.get('confirm') !== '1') return sendPublicPage(reply, 400, badFormPage());
    const found = await this.confirmations.find(link);
    const by = { ip: clientIp(request), digest: given.get('answers') ?? '' };
    const result = found ? await this.confirmations.execute(link, by) : 'gone';
    if (result === 'changed') return this.showConfirmation(token, reply);
    if (!found || result === 'gone') return sendPublicPage(reply, 410, gonePage());
    if (result === 'frozen') return sendPublicPage(reply, 200, frozenPage());
    sendPublicPage(reply, 200, confirmedPage(found.form), { ...lookOf(found.form), framed: false });
  }

  /** An open form; else the page that says so is sent. */
  private async formOf(token: string, reply: FastifyReply): Promise<SignUpForm | undefined> {
    const form = await this.find(token);
    if (form?.isOpen && form.listName !== null) return form;
    if (form) sendPublicPage(reply, 410, closedPage());
    else sendPublicPage(reply, 404, badLinkPage());
    return undefined;
  }

  private async find(token: string): Promise<SignUpForm | undefined> {
    const link = this.tokens.read(token);
    return link?.kind === 'form' ? this.forms.find(this.dataSource, link) : undefined;
  }
}

const clientIp = ({ headers }: FastifyRequest): string => String(headers['x-client-ip'] ?? '');
