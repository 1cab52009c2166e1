import { Module } from '@nestjs/common';
import { CONSOLE_FOLDER_PROVIDER, ConsolePages } from './console-pages.js';

@Module({ providers: [CONSOLE_FOLDER_PROVIDER, ConsolePages], exports: [ConsolePages] })
export class ConsoleModule {}
