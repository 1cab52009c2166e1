import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DesignsModule } from '@postmesh/designs';
import { DomainChangesModule } from '../domain-changes/domain-changes.module.js';
import { ApplyTemplateBody } from './apply-template-body.js';
import { CreateTemplate } from './create-template.js';
import { DeleteTemplate } from './delete-template.js';
import { PublishedTemplates } from './published-templates.js';
import { PurgeTemplates } from './purge-templates.js';
import { ReadTemplates } from './read-templates.js';
import { TemplateBlocks } from './template-blocks.js';
import { TemplateBlocksController } from './template-blocks.controller.js';
import { TemplateChanges } from './template-changes.js';
import { TemplateDrafts } from './template-drafts.js';
import { TemplateIssues } from './template-issues.js';
import { StoredVersion, Template } from './template.js';
import { TemplateTranslationsController } from './template-translations.controller.js';
import { TemplatesController } from './templates.controller.js';
import { TemplatesRepository } from './templates.repository.js';
import { TranslateForeignTemplates } from './translate-foreign-templates.js';
import { UpdateTemplate } from './update-template.js';

/** Transactional templates: drafts, versions, and the published copies that sends use. */
@Module({
  imports: [TypeOrmModule.forFeature([Template, StoredVersion]), DesignsModule, DomainChangesModule],
  controllers: [TemplatesController, TemplateBlocksController, TemplateTranslationsController],
  providers: [
    ApplyTemplateBody,
    CreateTemplate,
    DeleteTemplate,
    PublishedTemplates,
    PurgeTemplates,
    ReadTemplates,
    TemplateBlocks,
    TemplateChanges,
    TemplateDrafts,
    TemplateIssues,
    TemplatesRepository,
    TranslateForeignTemplates,
    UpdateTemplate,
  ],
  exports: [PublishedTemplates, PurgeTemplates, ReadTemplates, TemplateIssues],
})
export class TemplatesModule {}
