import { Controller, Get, Inject, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DataSource } from 'typeorm';
import { wellFormed } from '@postmesh/contracts';
import {
  badFormPage,
  badLinkPage,
  FormTimes,
  LinkTokens,
  readFormFields,
  sendPublicPage,
} from '@postmesh/public-links';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { readContactEmail } from '../contacts/contact-email.rules.js';
import { ConfirmSignUp } from './confirm-sign-up.js';
import { RequestSignUp } from './request-sign-up.js';
import { SignUpForms, type SignUpForm } from './sign-up-forms.js';
import {
  askedPage,
  closedPage,
  confirmedPage,
  confirmPage,
  FIELD,
  formPage,
  frozenPage,
  gonePage,
  lookOf,
  MOST_FIELDS,
  type FilledIn,
} from './sign-up-pages.js';

/** A form that comes back faster was filled in by a program; a page that is older is made once more. */
const FASTEST_MS = 1_000;
const OLDEST_MS = 24 * 3_600_000;

const MAX_NAME = 255;

/** The pages of sign-ups (decision 152): the form, and the confirmation that its mail leads to. */
@Controller('public')
export class PublicSignUpsController {
  private readonly times: FormTimes;

  constructor(
    private readonly dataSource: DataSource,
    private readonly tokens: LinkTokens,
    private readonly forms: SignUpForms,
    private readonly requests: RequestSignUp,
    private readonly confirmations: ConfirmSignUp,
    @Inject(SETTINGS) { secretKeys }: Settings,
  ) {
    this.times = new FormTimes(secretKeys);
  }

  @Get('f/:token')
  async showForm(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    const form = await this.formOf(token, reply);
    if (form) sendPublicPage(reply, 200, formPage(form, this.timeOf(form)), lookOf(form));
  }

  @Post('f/:token')
  async signUp(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const form = await this.formOf(token, reply);
    if (!form) return;
    const given = await readFormFields(request.headers['content-type'], request.body, MOST_FIELDS);
    if (!given) return sendPublicPage(reply, 400, badFormPage());
    const filled = filledIn(form, given);
    const email = readContactEmail(filled.email);
    const again = (problem: string) =>
      sendPublicPage(
        reply,
        200,
        formPage(form, this.timeAgain(form, given), { given: filled, problem }),
        lookOf(form),
      );
    if (email === undefined) return again('Please enter a valid email address.');
    if (!given.has(FIELD.consent)) return again('Please tick the box, and press the button once more.');
    if (!this.isOfPerson(form, given)) return again('Please press the button once more.');
    // a program that fills in everything gets the page of all others
    if ((given.get(FIELD.trap) ?? '') === '') {
      const { first_name: firstName = '', last_name: lastName = '' } = filled.names;
      await this.requests.execute({ form, email, firstName, lastName, way: 'form' });
    }
    sendPublicPage(reply, 200, askedPage(form), lookOf(form));
  }

  /** Changes nothing: mailbox providers and virus scanners follow links. */
  @Get('j/:token')
  async showConfirmation(@Param('token') token: string, @Res() reply: FastifyReply): Promise<void> {
    const link = this.tokens.read(token);
    if (link?.kind !== 'confirm') return sendPublicPage(reply, 404, badLinkPage());
    const found = await this.confirmations.find(link);
    if (!found) return sendPublicPage(reply, 410, gonePage());
    const look = { ...lookOf(found.form), framed: false };
    sendPublicPage(reply, 200, confirmPage(found.form, found.email), look);
  }

  @Post('j/:token')
  async confirm(
    @Param('token') token: string,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const link = this.tokens.read(token);
    if (link?.kind !== 'confirm') return sendPublicPage(reply, 404, badLinkPage());
    const given = await readFormFields(request.headers['content-type'], request.body, 1);
    if (given?.get('confirm') !== '1') return sendPublicPage(reply, 400, badFormPage());
    const found = await this.confirmations.find(link);
    const result = found ? await this.confirmations.execute(link, clientIp(request)) : 'gone';
    if (!found || result === 'gone') return sendPublicPage(reply, 410, gonePage());
    if (result === 'frozen') return sendPublicPage(reply, 200, frozenPage());
    sendPublicPage(reply, 200, confirmedPage(found.form), { ...lookOf(found.form), framed: false });
  }

  /** An open form; else the page that says so is sent. */
  private async formOf(token: string, reply: FastifyReply): Promise<SignUpForm | undefined> {
    const link = this.tokens.read(token);
    const form = link?.kind === 'form' ? await this.forms.find(this.dataSource, link) : undefined;
    if (form?.isOpen && form.listName !== null) return form;
    if (form) sendPublicPage(reply, 410, closedPage());
    else sendPublicPage(reply, 404, badLinkPage());
    return undefined;
  }

  private timeOf({ id }: SignUpForm): string {
    return this.times.sign(id, Date.now());
  }

  /** The time of the first page, so that a person who is asked again need not wait again. */
  private timeAgain(form: SignUpForm, given: ReadonlyMap<string, string>): string {
    const age = this.ageOf(form, given);
    return age !== undefined && age <= OLDEST_MS ? (given.get(FIELD.time) ?? '') : this.timeOf(form);
  }

  private isOfPerson(form: SignUpForm, given: ReadonlyMap<string, string>): boolean {
    const age = this.ageOf(form, given);
    return age !== undefined && age >= FASTEST_MS && age <= OLDEST_MS;
  }

  /** ms since the page was made; undefined: its time is not ours */
  private ageOf({ id }: SignUpForm, given: ReadonlyMap<string, string>): number | undefined {
    const madeAt = this.times.read(id, given.get(FIELD.time) ?? '');
    return madeAt === undefined ? undefined : Date.now() - madeAt;
  }
}

const clientIp = ({ headers }: FastifyRequest): string => String(headers['x-client-ip'] ?? '');

function filledIn({ fields }: SignUpForm, given: ReadonlyMap<string, string>): FilledIn {
  const names = fields.map((name) => {
    const text = [...(given.get(name) ?? '')].slice(0, MAX_NAME).join('');
    return [name, wellFormed(text.replaceAll(/\p{Cc}+/gu, ' ').trim())];
  });
  return {
    email: [...(given.get(FIELD.email) ?? '')].slice(0, 320).join(''),
    names: Object.fromEntries(names),
  };
}
