import { describe, expect, it } from 'vitest';
import { settle } from './template-state.rules.js';
import { EMPTY_COPY, type CopyFields, type TemplateCopy } from './template.js';

const fields = (more: Partial<CopyFields> = {}): CopyFields => {
  const { variables: _, ...empty } = EMPTY_COPY;
  return { ...empty, html: '<p>One</p>', text: 'One', ...more };
};
const copy = (id: string, more: Partial<CopyFields> = {}): TemplateCopy => ({
  ...fields(more),
  id,
  variables: [],
});
const PUBLISHED = copy('published');
const DRAFT = copy('draft', { subject: 'Draft' });
const wanted = (given: CopyFields & { id?: string }, publish = false, name = 'n') => ({
  name,
  copy: given,
  publish,
});

describe('the transition to a new state', () => {
  it.each([
    [
      'nothing, as it is the current one',
      { published: PUBLISHED, draft: undefined },
      wanted(fields()),
      undefined,
      false,
      false,
    ],
    [
      'nothing, as the draft is the same',
      { published: PUBLISHED, draft: DRAFT },
      wanted(fields({ subject: 'Draft' })),
      'draft',
      false,
      false,
    ],
    [
      'a first draft',
      { published: PUBLISHED, draft: undefined },
      wanted(fields({ subject: 'x' })),
      'new',
      false,
      true,
    ],
    [
      'another draft',
      { published: PUBLISHED, draft: DRAFT },
      wanted(fields({ subject: 'x' })),
      'new',
      false,
      true,
    ],
    ['no draft any more', { published: PUBLISHED, draft: DRAFT }, wanted(fields()), undefined, false, true],
    [
      'the copy of a version',
      { published: PUBLISHED, draft: DRAFT },
      wanted(copy('version', { subject: 'v' })),
      'version',
      false,
      true,
    ],
    [
      'to publish the draft',
      { published: PUBLISHED, draft: DRAFT },
      wanted(DRAFT, true),
      'draft',
      true,
      true,
    ],
    [
      'to publish the new fields',
      { published: undefined, draft: undefined },
      wanted(fields(), true),
      'new',
      true,
      true,
    ],
    [
      'nothing to publish, as it is published',
      { published: PUBLISHED, draft: undefined },
      wanted(PUBLISHED, true),
      undefined,
      false,
      false,
    ],
    [
      'a draft that equals the published copy, to publish',
      { published: PUBLISHED, draft: DRAFT },
      wanted(fields(), true),
      undefined,
      false,
      true,
    ],
    [
      'a name',
      { published: PUBLISHED, draft: undefined },
      wanted(PUBLISHED, false, 'other'),
      undefined,
      false,
      true,
    ],
    [
      'an empty draft is no draft',
      { published: undefined, draft: undefined },
      wanted(EMPTY_COPY),
      undefined,
      false,
      false,
    ],
  ])('%s', (_, state, given, draft, publishes, changes) => {
    const transition = settle(state, 'n', given);
    const found = transition.draft && (transition.draft.id ?? 'new');
    expect([found, transition.publishes, transition.changes]).toEqual([draft, publishes, changes]);
  });

  it.each([
    ['no body', fields({ html: null, text: null, subject: 'x' }), 'template has no content to publish'],
    [
      'HTML that cannot be rendered',
      fields({ html: '{% if %}' }),
      'content.html holds a {{, {% or {# that cannot be rendered: ',
    ],
    [
      'a text that cannot be rendered',
      fields({ text: '{{ a' }),
      'content.text holds a {{, {% or {# that cannot be rendered: ',
    ],
    [
      'a subject that cannot be rendered',
      fields({ subject: '{{ a' }),
      'subject holds a {{, {% or {# that cannot be rendered: ',
    ],
    [
      'a preview text that cannot be rendered',
      fields({ preheader: '{# a' }),
      'preheader holds a {{, {% or {# that cannot be rendered: ',
    ],
  ])('publishes nothing with %s, and keeps it as a draft', (_, given, message) => {
    const state = { published: undefined, draft: undefined };
    expect(() => settle(state, 'n', wanted(given, true))).toThrow(message);
    expect(settle(state, 'n', wanted(given)).changes).toBe(true);
  });
});
