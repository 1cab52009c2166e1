import { Inject, Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
} from '@simplewebauthn/server';
import { Repository, type EntityManager } from 'typeorm';
import { newId, type UserId } from '@postmesh/contracts';
import { ownBaseUrl } from '@postmesh/public-links';
import { SETTINGS } from '@postmesh/service-host';
import type { Settings } from '@postmesh/settings';
import { UserEntity } from '../members/people.js';
import { CHALLENGE_MS, keepChallenge, takeChallenge, type ChallengePurpose } from './challenges.js';
import { PasskeyEntity } from './passkey.entity.js';
import { PasskeyErrors, type Assertion, type CreatePasskeyBody } from './passkey.schema.js';

const MAX_PASSKEYS = 20;

/** Registers passkeys and verifies that a user has one (WebAuthn level 3): discoverable, with verification of the user. */
@Injectable()
export class Passkeys {
  /** the origin of pages that may use a passkey, and its host, for which passkeys are made */
  private readonly origin: string;
  private readonly rpId: string;

  constructor(
    @InjectRepository(PasskeyEntity) private readonly passkeys: Repository<PasskeyEntity>,
    @Inject(SETTINGS) settings: Settings,
  ) {
    const { origin, hostname } = new URL(ownBaseUrl(settings));
    this.origin = origin;
    this.rpId = hostname;
  }

  list(userId: UserId): Promise<PasskeyEntity[]> {
    return this.passkeys.find({
      where: { userId },
      order: { createdAt: 'ASC', id: 'ASC' },
      take: MAX_PASSKEYS,
    });
  }

  /** @throws ApiError 409 when the user has the maximum */
  async registrationOptions(userId: UserId): Promise<PublicKeyCredentialCreationOptionsJSON> {
    const { manager } = this.passkeys;
    const known = await this.list(userId);
    if (known.length >= MAX_PASSKEYS) throw PasskeyErrors.tooMany();
    const user = await manager.findOneByOrFail(UserEntity, { id: userId });
    const options = await generateRegistrationOptions({
      rpName: 'Postmesh',
      rpID: this.rpId,
      userName: user.email,
      userDisplayName: user.name === '' ? user.email : user.name,
      userID: new Uint8Array(Buffer.from(userId.replaceAll('-', ''), 'hex')),
      timeout: CHALLENGE_MS,
      excludeCredentials: known.map(credentialOf),
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    });
    await keepChallenge(manager, options.challenge, { purpose: 'register', userId });
    return options;
  }

  /** Runs in the caller's transaction. @throws ApiError 401, 409 */
  async register(
    manager: EntityManager,
    userId: UserId,
    { label, credential: given }: CreatePasskeyBody,
  ): Promise<PasskeyEntity> {
    const verified = await verifyRegistrationResponse({
      response: given as RegistrationResponseJSON,
      expectedChallenge: (challenge) => takeChallenge(manager, challenge, { purpose: 'register', userId }),
      expectedOrigin: this.origin,
      expectedRPID: this.rpId,
    }).catch(() => undefined);
    if (!verified?.verified) throw PasskeyErrors.notAccepted();
    // locked, so that concurrent requests are counted
    await manager.findOne(UserEntity, { where: { id: userId }, lock: { mode: 'pessimistic_write' } });
    if ((await manager.countBy(PasskeyEntity, { userId })) >= MAX_PASSKEYS) throw PasskeyErrors.tooMany();
    const { credential } = verified.registrationInfo;
    if (await manager.existsBy(PasskeyEntity, { credentialId: credential.id })) throw PasskeyErrors.known();
    const passkey = {
      id: newId(),
      userId,
      label,
      credentialId: credential.id,
      publicKey: Buffer.from(credential.publicKey),
      counter: credential.counter,
      transports: given.response.transports ?? [],
      createdAt: new Date(),
      lastUsedAt: null,
    };
    await manager.insert(PasskeyEntity, passkey);
    return passkey;
  }

  /** @param userId null for a sign-in: the browser offers what it has, and the response is the same for everyone */
  async assertionOptions(
    purpose: Exclude<ChallengePurpose, 'register'>,
    userId: UserId | null,
  ): Promise<PublicKeyCredentialRequestOptionsJSON> {
    const known = userId === null ? [] : await this.list(userId);
    const options = await generateAuthenticationOptions({
      rpID: this.rpId,
      timeout: CHALLENGE_MS,
      userVerification: 'required',
      ...(known.length > 0 && { allowCredentials: known.map(credentialOf) }),
    });
    await keepChallenge(this.passkeys.manager, options.challenge, { purpose, userId });
    return options;
  }

  /**
   * Verifies the answer to a challenge, in the caller's transaction.
   * @returns the passkey, whose user has it and is verified by it
   * @throws ApiError 401
   */
  async verify(
    manager: EntityManager,
    given: Assertion,
    { purpose, userId }: { purpose: Exclude<ChallengePurpose, 'register'>; userId: UserId | null },
  ): Promise<PasskeyEntity> {
    const where = { credentialId: given.id, ...(userId !== null && { userId }) };
    // locked, so that one answer counts once
    const passkey = await manager.findOne(PasskeyEntity, { where, lock: { mode: 'pessimistic_write' } });
    if (!passkey) throw PasskeyErrors.notAccepted();
    const { authenticatorAttachment: _hint, ...response } = given;
    const verified = await verifyAuthenticationResponse({
      response,
      expectedChallenge: (challenge) => takeChallenge(manager, challenge, { purpose, userId }),
      expectedOrigin: this.origin,
      expectedRPID: this.rpId,
      credential: {
        id: passkey.credentialId,
        publicKey: new Uint8Array(passkey.publicKey),
        counter: passkey.counter,
      },
    }).catch(() => undefined);
    if (!verified?.verified) throw PasskeyErrors.notAccepted();
    const { newCounter: counter } = verified.authenticationInfo;
    await manager.update(PasskeyEntity, { id: passkey.id }, { counter, lastUsedAt: new Date() });
    return passkey;
  }
}

const credentialOf = ({ credentialId: id, transports }: PasskeyEntity) => ({ id, transports });
