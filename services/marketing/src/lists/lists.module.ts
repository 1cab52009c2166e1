import { Module } from '@nestjs/common';
import { AddContacts } from './add-contacts.js';
import { ListsController } from './lists.controller.js';
import { ListsRepository } from './lists.repository.js';
import { CreateList, DeleteList, UpdateList } from './manage-lists.js';
import { PutMembership, RemoveMembership } from './manage-memberships.js';
import { MembershipsController } from './memberships.controller.js';
import { MembershipsRepository } from './memberships.repository.js';

/** Lists of contacts, their memberships and counts (spec 3-marketing §2). */
@Module({
  controllers: [ListsController, MembershipsController],
  providers: [
    ListsRepository,
    CreateList,
    UpdateList,
    DeleteList,
    MembershipsRepository,
    PutMembership,
    RemoveMembership,
    AddContacts,
  ],
  exports: [ListsRepository],
})
export class ListsModule {}
