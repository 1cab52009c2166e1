import { MessageResponse, type ServiceDocument } from '@postmesh/contracts';
import {
  SignUpBody,
  SignUpFormBody,
  SignUpFormList,
  SignUpFormResource,
  SignUpResource,
} from './sign-up-form.schema.js';

const noForm = { status: 404, when: 'The account has no such sign-up form.' } as const;
const badForm = {
  status: 400,
  when: 'A field is invalid, or the sender is on no domain with valid DNS records.',
} as const;

/** Operations of the console (decision 152). */
export const SIGN_UPS_DOCUMENT: ServiceDocument = {
  'sign-up-forms.list': {
    summary: 'List sign-up forms',
    description: 'All of the account, newest first.',
    response: { status: 200, description: 'The forms.', schema: SignUpFormList },
  },
  'sign-up-forms.create': {
    summary: 'Create a sign-up form',
    body: SignUpFormBody,
    response: {
      status: 201,
      description: 'The form, with the address of its page.',
      schema: SignUpFormResource,
    },
    apiErrors: [
      badForm,
      { status: 404, when: '`list not found`' },
      { status: 409, when: 'The account has 50 forms.' },
    ],
  },
  'sign-up-forms.get': {
    summary: 'Get a sign-up form',
    response: { status: 200, description: 'The form.', schema: SignUpFormResource },
    apiErrors: [noForm],
  },
  'sign-up-forms.update': {
    summary: 'Replace the fields of a sign-up form',
    body: SignUpFormBody,
    response: { status: 200, description: 'The form.', schema: SignUpFormResource },
    apiErrors: [badForm, noForm],
  },
  'sign-up-forms.delete': {
    summary: 'Delete a sign-up form',
    description: 'Sign-ups that are not confirmed go with it. Members, consents and their words stay.',
    response: {
      status: 200,
      description: 'It is deleted.',
      schema: MessageResponse,
      example: { message: 'sign-up form 01980f3e-5b7a-7c11-a2d4-0c5f9e6b8a01 (Footer) deleted successfully' },
    },
    apiErrors: [noForm],
  },
  'sign-ups.create': {
    summary: 'Ask an address whether it wants to join',
    description:
      'Double opt-in: the address gets the confirmation mail of the form, and is on the list once it has confirmed.',
    body: SignUpBody,
    response: {
      status: 202,
      description: 'The outcome.',
      schema: SignUpResource,
      example: { object: 'sign_up', email: 'ann@mail.example.com', outcome: 'asked' },
    },
    apiErrors: [
      { status: 400, when: 'The address is invalid.' },
      noForm,
      { status: 409, when: 'The list of the form is deleted.' },
    ],
  },
};
