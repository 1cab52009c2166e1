import { Module } from '@nestjs/common';
import { Documentation } from './documentation.js';
import { SITE_FOLDER_PROVIDER, SitePages } from './site-pages.js';

@Module({ providers: [Documentation, SITE_FOLDER_PROVIDER, SitePages], exports: [Documentation, SitePages] })
export class DocumentationModule {}
