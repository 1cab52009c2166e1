import { Body, Controller, Query } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { apiResponse, hasStaticScope, type ApiResponse } from '@postmesh/contracts';
import { parsePageQuery, toFullPage, toPage, type PageQuery } from '@postmesh/http';
import { body, Call, Operation, query, uuidParam, type ApiCall, type Remember } from '@postmesh/service-host';
import { AddContacts, type AddedContacts } from './add-contacts.js';
import { AddContactsBody, addContactsResource } from './add-contacts.schema.js';
import { findListedContact } from './listed-contact.js';
import { ListsRepository } from './lists.repository.js';
import { PutMembership, RemoveMembership } from './manage-memberships.js';
import {
  ListMembersQuery,
  ListsOfContactQuery,
  MembershipErrors,
  membershipResource,
  membershipWithList,
  memberWithContact,
  PutMembershipBody,
} from './membership.schema.js';
import { MembershipsRepository } from './memberships.repository.js';

/** Memberships of lists (spec 3-marketing §2.3). */
@Controller()
export class MembershipsController {
  constructor(
    private readonly dataSource: DataSource,
    private readonly lists: ListsRepository,
    private readonly memberships: MembershipsRepository,
    private readonly change: PutMembership,
    private readonly removal: RemoveMembership,
    private readonly addition: AddContacts,
  ) {}

  @Operation('lists.list-contacts')
  async members(
    @Call() { accountId, principal }: ApiCall,
    @uuidParam('list_id') listId: string,
    @Query(query(parsePageQuery, ListMembersQuery)) [page, filters]: [PageQuery, ListMembersQuery],
  ): Promise<ApiResponse> {
    const { include_contacts = false, email, subscription_status: status } = filters;
    // checked before the list is read: without the scope to see contacts the response reveals nothing about lists
    if (include_contacts && !hasStaticScope(principal, 'contacts:read')) {
      throw MembershipErrors.mayNotReadContacts();
    }
    await this.lists.get(this.dataSource, accountId, listId);
    const rows = await this.memberships.members(this.dataSource, { accountId, listId, status, email }, page);
    const present = include_contacts ? memberWithContact : membershipResource;
    return apiResponse(200, toFullPage(toPage(rows, page, present), page));
  }

  @Operation('contacts.list-lists')
  async listsOfContact(
    @Call() call: ApiCall,
    @Query(query(parsePageQuery, ListsOfContactQuery))
    [page, { subscription_status: status }]: [PageQuery, ListsOfContactQuery],
  ): Promise<ApiResponse> {
    const named = { accountId: call.accountId, idOrEmail: call.param('id_or_email') };
    const contact = await findListedContact(this.dataSource, named);
    const rows = await this.memberships.listsOf(this.dataSource, { contact, status }, page);
    return apiResponse(200, toFullPage(toPage(rows, page, membershipWithList), page));
  }

  @Operation('lists.put-contact')
  async put(
    @Call() call: ApiCall,
    @uuidParam('list_id') listId: string,
    @Body(body(PutMembershipBody)) input: PutMembershipBody,
  ): Promise<ApiResponse> {
    const row = await this.change.execute({
      accountId: call.accountId,
      listId,
      idOrEmail: call.param('id_or_email'),
      status: input.subscription_status ?? undefined,
    });
    return apiResponse(200, membershipResource(row));
  }

  @Operation('lists.remove-contact')
  async remove(@Call() call: ApiCall, @uuidParam('list_id') listId: string): Promise<ApiResponse> {
    const place = { accountId: call.accountId, listId, idOrEmail: call.param('id_or_email') };
    const contactId = await this.removal.execute(place);
    return apiResponse(200, { message: `contact ${contactId} removed from list ${listId}` });
  }

  @Operation('lists.add-contacts')
  add(
    @Call() call: ApiCall,
    @uuidParam('list_id') listId: string,
    @Body(body(AddContactsBody)) { data }: AddContactsBody,
  ): Promise<ApiResponse> {
    const command = { accountId: call.accountId, listId, data };
    return call.respond(
      (remember: Remember<AddedContacts>) => this.addition.execute(command, remember),
      (results) => apiResponse(200, addContactsResource(results)),
    );
  }
}
