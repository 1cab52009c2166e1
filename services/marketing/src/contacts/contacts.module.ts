import { Module } from '@nestjs/common';
import { ListsModule } from '../lists/lists.module.js';
import { ApplyContacts } from './apply-contacts.js';
import { AttributeDefinitions } from './attributes/attribute-definitions.js';
import { AttributesController } from './attributes/attributes.controller.js';
import { OperatorAttributesController } from './attributes/operator-attributes.controller.js';
import { BatchContacts } from './batch-contacts.js';
import { ContactsController } from './contacts.controller.js';
import { ContactsRepository } from './contacts.repository.js';
import { CreateContact } from './create-contact.js';
import { DeleteContact } from './delete-contact.js';
import { ContactExport, OperatorContactExportController } from './exports/contact-export.js';
import { ContactBatchesController } from './imports/contact-batches.controller.js';
import { ContactImports } from './imports/contact-imports.js';
import { ImportForeignContacts } from './imports/import-foreign-contacts.js';
import { OperatorContactImportsController } from './imports/operator-imports.controller.js';
import { OperatorContactsController } from './operator-contacts.controller.js';
import { UpdateContact } from './update-contact.js';

@Module({
  imports: [ListsModule],
  controllers: [
    ContactsController,
    OperatorContactsController,
    AttributesController,
    ContactBatchesController,
    OperatorAttributesController,
    OperatorContactImportsController,
    OperatorContactExportController,
  ],
  providers: [
    ContactsRepository,
    AttributeDefinitions,
    ApplyContacts,
    CreateContact,
    UpdateContact,
    DeleteContact,
    BatchContacts,
    ContactImports,
    ImportForeignContacts,
    ContactExport,
  ],
  exports: [ContactsRepository, AttributeDefinitions, ContactImports],
})
export class ContactsModule {}
