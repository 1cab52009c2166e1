import type { ConsoleSchemas } from '../api/client';
import { Check, Input, TextArea } from '../ui/field';
import { t } from '../words/words';
import { useAttributes } from './attributes';
import type { SignUpForm } from './forms';

type Asked = SignUpForm['attributes'][number];
type Attribute = ConsoleSchemas['ContactAttribute'];

/** Most attributes that a form asks for. */
const MAX_ASKED = 10;

/** The attributes of contacts that a form asks for, in the order in which they were chosen. */
export function FormAttributes({
  asked,
  change,
}: {
  asked: readonly Asked[];
  change: (asked: Asked[]) => void;
}) {
  const defined = useAttributes().data?.data ?? [];
  const isDefined = ({ key }: Asked) => defined.some((one) => one.key === key);
  // the server refuses a form that asks for a deleted one
  const kept = asked.filter(isDefined);
  const free = defined.filter(
    ({ key, type }) => type !== 'timestamp' && !asked.some((one) => one.key === key),
  );
  const add = ({ key, type }: Attribute) =>
    change([...kept, { key, label: key, required: false, options: [], type: type as Asked['type'] }]);
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 text-sm font-medium">{t.forms.attributes}</legend>
      {defined.length === 0 && <p className="text-sm text-ink-3">{t.forms.noAttributes}</p>}
      {kept.map((one) => (
        <AskedAttribute
          key={one.key}
          of={one}
          change={(next) => change(kept.map((other) => (other.key === one.key ? next : other)))}
          remove={() => change(kept.filter((other) => other.key !== one.key))}
        />
      ))}
      {free.map((one) => (
        <Check
          key={one.key}
          label={one.key}
          checked={false}
          disabled={kept.length >= MAX_ASKED}
          onChange={() => add(one)}
        />
      ))}
    </fieldset>
  );
}

function AskedAttribute({
  of,
  change,
  remove,
}: {
  of: Asked;
  change: (next: Asked) => void;
  remove: () => void;
}) {
  const { key, label, required, options, type } = of;
  return (
    <div className="flex flex-col gap-3 rounded-md border border-line p-3">
      <Check label={key} checked onChange={remove} />
      <Input
        label={t.forms.attributeLabel(key)}
        required
        maxLength={100}
        value={label}
        onChange={({ target }) => change({ ...of, label: target.value })}
      />
      {type === 'string' && (
        <TextArea
          label={t.forms.attributeOptions(key)}
          hint={t.forms.attributeOptionsHint}
          value={options.join('\n')}
          onChange={({ target }) =>
            change({ ...of, options: target.value === '' ? [] : target.value.split('\n') })
          }
        />
      )}
      <Check
        label={t.forms.attributeRequired(key)}
        checked={required}
        onChange={({ target }) => change({ ...of, required: target.checked })}
      />
    </div>
  );
}
