import { Body, Controller, Get, Headers, Post } from '@nestjs/common';
import { pause } from '@postmesh/concurrency';
import { apiResponse, type ApiResponse } from '@postmesh/contracts';
import { parseEmailAddress } from '@postmesh/mail-format';
import { body } from '@postmesh/service-host';
import { WaysIn } from '../oidc/ways-in.js';
import { AssertionBody } from '../passkeys/passkey.schema.js';
import { Passkeys } from '../passkeys/passkeys.js';
import { sessionCookie } from '../sessions/session.rules.js';
import { SignInBody, SignInLinkBody } from './sign-in.schema.js';
import { SignInLinks } from './sign-in-links.js';
import { SignIn, type SignedIn } from './sign-in.js';

// Longer than the work for a known address, so that the time of a response does not say whether it is known.
const ANSWER_MS = 400;

/** The requests of browsers without a session, which the gateway hands over after its checks (decision 116). */
@Controller('public/console')
export class SignInController {
  constructor(
    private readonly links: SignInLinks,
    private readonly signIn: SignIn,
    private readonly passkeys: Passkeys,
    private readonly ways: WaysIn,
  ) {}

  @Get('sign-in-ways')
  signInWays(): ApiResponse {
    const { oidc } = this.ways;
    return apiResponse(200, { oidc: oidc ? { name: oidc.name, only: oidc.isOnly } : null });
  }

  @Post('sign-in-links')
  async requestLink(
    @Body(body(SignInLinkBody)) { email, to }: SignInLinkBody,
    @Headers('x-client-ip') clientIp = '',
  ): Promise<ApiResponse> {
    const parsed = parseEmailAddress(email);
    if (parsed.ok) this.ways.requireOpen('link', parsed.address.address);
    const mailed = parsed.ok ? this.links.mailTo(parsed.address.address, clientIp, to) : undefined;
    await Promise.all([mailed, pause(ANSWER_MS)]);
    return apiResponse(202, { message: 'if the address is known, a link is on its way' });
  }

  @Post('sessions')
  async begin(
    @Body(body(SignInBody)) { token }: SignInBody,
    @Headers('user-agent') userAgent = '',
    @Headers('x-client-ip') clientIp = '',
  ): Promise<ApiResponse> {
    return signedIn(await this.signIn.byLink(token, { userAgent, clientIp }));
  }

  @Post('passkey-sign-ins/options')
  async passkeyOptions(): Promise<ApiResponse> {
    return apiResponse(200, await this.passkeys.assertionOptions('sign-in', null));
  }

  @Post('passkey-sign-ins')
  async beginByPasskey(
    @Body(body(AssertionBody)) { credential }: AssertionBody,
    @Headers('user-agent') userAgent = '',
    @Headers('x-client-ip') clientIp = '',
  ): Promise<ApiResponse> {
    return signedIn(await this.signIn.byPasskey(credential, { userAgent, clientIp }));
  }
}

const signedIn = ({ session, secret }: SignedIn): ApiResponse => ({
  ...apiResponse(201, session),
  headers: { 'set-cookie': sessionCookie(secret) },
});
