import { Module } from '@nestjs/common';
import { Documentation } from './documentation.js';

@Module({ providers: [Documentation], exports: [Documentation] })
export class DocumentationModule {}
