import { Module } from '@nestjs/common';
import { ConsentRecords } from './consent-records.js';
import { ConsentsController } from './consents.controller.js';

/** The record of consents. */
@Module({ controllers: [ConsentsController], providers: [ConsentRecords] })
export class ConsentsModule {}
