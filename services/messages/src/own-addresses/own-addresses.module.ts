import { Module } from '@nestjs/common';
import { OwnAddresses } from './own-addresses.js';

/** The addresses from which mail of this installation leaves. */
@Module({ providers: [OwnAddresses], exports: [OwnAddresses] })
export class OwnAddressesModule {}
