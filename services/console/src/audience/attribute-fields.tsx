import { useState } from 'react';
import { back, read, type ConsoleSchemas } from '../api/client';
import { useAction } from '../api/pages';
import { useCan } from '../api/session';
import { Button } from '../ui/button';
import { Input, Select } from '../ui/field';
import { useSchemaForm, z } from '../ui/form';
import { FormModal } from '../ui/form-modal';
import { t } from '../words/words';
import { useAttributes } from './attributes';

type Attribute = ConsoleSchemas['ContactAttribute'];
type Values = Readonly<Record<string, unknown>>;

/** A field for each attribute of the account, by its type. Attributes are merged by the server: null removes one. */
export function AttributeFields({
  values,
  change,
}: {
  values: Values;
  change: (key: string, value: string | number | boolean | null) => void;
}) {
  const attributes = useAttributes().data?.data ?? [];
  return (
    <fieldset className="flex flex-col gap-4 border-t border-line pt-4">
      <legend className="sr-only">{t.contacts.attributes}</legend>
      <p className="text-sm text-ink-3">
        {attributes.length === 0 ? t.contacts.noAttributes : t.contacts.attributesHint}
      </p>
      {attributes.map((attribute) => (
        <Field
          key={attribute.key}
          of={attribute}
          value={values[attribute.key]}
          change={(value) => change(attribute.key, value)}
        />
      ))}
    </fieldset>
  );
}

const INPUTS = { string: 'text', number: 'number', date: 'date', timestamp: 'text' } as const;

function Field({
  of: { key, type },
  value,
  change,
}: {
  of: Attribute;
  value: unknown;
  change: (value: string | number | boolean | null) => void;
}) {
  const text = value === undefined || value === null ? '' : String(value);
  if (type === 'boolean')
    return (
      <Select
        label={key}
        options={[
          ['', t.contacts.noValue],
          ['true', t.yes],
          ['false', t.no],
        ]}
        value={text}
        onChange={({ target }) => change(target.value === '' ? null : target.value === 'true')}
      />
    );
  return (
    <Input
      label={key}
      type={INPUTS[type]}
      step="any"
      placeholder={type === 'timestamp' ? '2026-01-05T08:00:00Z' : undefined}
      // a number stays one: its text would lose a point that was typed last
      value={typeof value === 'number' ? value : text}
      onChange={({ target }) =>
        change(target.value === '' ? null : type === 'number' ? target.valueAsNumber : target.value)
      }
    />
  );
}

const FORM = z.object({
  key: z.string().check(z.regex(/^\s*[a-z][a-z0-9_]{0,63}\s*$/, t.contacts.attributeKeyNeeded)),
  type: z.enum(['string', 'number', 'boolean', 'date', 'timestamp']),
});

/** An attribute that all contacts of the account have from then on. */
export function AddAttribute() {
  const [isOpen, setOpen] = useState(false);
  const mayWrite = useCan('contacts:write');
  if (!mayWrite) return null;
  return (
    <>
      <Button icon="plus" onClick={() => setOpen(true)}>
        {t.contacts.addAttribute}
      </Button>
      {isOpen && <NewAttribute onClose={() => setOpen(false)} />}
    </>
  );
}

function NewAttribute({ onClose }: { onClose: () => void }) {
  const form = useSchemaForm<z.infer<typeof FORM>>(FORM, { key: '', type: 'string' });
  const add = useAction(
    ({ key, type }: z.infer<typeof FORM>) =>
      read(back.POST('/console/api/contact-attributes', { body: { key: key.trim(), type } })),
    { changes: [['contact-attributes']], quiet: true, done: onClose },
  );
  return (
    <FormModal
      title={t.contacts.addAttribute}
      of={add}
      submit={form.handleSubmit((values) => add.mutate(values))}
      onClose={onClose}
    >
      <Input
        label={t.webhooks.name}
        hint={t.contacts.attributeKeyHint}
        autoFocus
        error={form.formState.errors.key?.message}
        {...form.register('key')}
      />
      <Select
        label={t.domains.type}
        options={Object.entries(t.contacts.attributeTypes)}
        {...form.register('type')}
      />
    </FormModal>
  );
}
