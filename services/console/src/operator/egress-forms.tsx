import { useState } from 'react';
import { useAction } from '../api/pages';
import { Button } from '../ui/button';
import { Check, Input, Select } from '../ui/field';
import { Modal, ModalActions } from '../ui/modal';
import { notify } from '../ui/toasts';
import { t } from '../words/words';
import { call } from './api';
import { EGRESS, type Pool, type Relay, type Rule, type Source } from './egress';
import { w } from './words';

type Value = string | number | boolean | null;

/** One field of a form; an empty one is left out. */
interface WayField {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly kind?: 'number' | 'password' | 'check';
  readonly options?: readonly (readonly [value: string, text: string])[];
  readonly needed?: boolean;
  readonly start?: Value | undefined;
  /** null is sent when it is emptied */
  readonly clears?: boolean;
}

const optionsOf = (texts: Readonly<Record<string, string>>) => Object.entries(texts);

/** Makes or changes a pool, a source, a relay or a rule. */
function WayForm({
  kind,
  id,
  title,
  fields,
}: {
  kind: 'pools' | 'sources' | 'relays' | 'rules';
  id: string | undefined;
  title: string;
  fields: readonly WayField[];
}) {
  const [isOpen, setOpen] = useState(false);
  const act = useAction(
    (form: FormData) => {
      const name = id ?? String(form.get('id'));
      return call('PUT', `delivery-worker/egress/${kind}/${encodeURIComponent(name)}`, bodyOf(form, fields));
    },
    {
      changes: [EGRESS],
      quiet: true,
      done: () => {
        setOpen(false);
        notify(w.egress.changed);
      },
    },
  );
  return (
    <>
      <Button onClick={() => setOpen(true)}>{id === undefined ? w.egress.add : w.egress.change}</Button>
      {isOpen && (
        <Modal title={id === undefined ? title : `${title} ${id}`} onClose={() => setOpen(false)}>
          <form
            className="space-y-4"
            onSubmit={(event) => {
              event.preventDefault();
              act.mutate(new FormData(event.currentTarget));
            }}
          >
            {id === undefined && (
              <Input label={w.egress.id} name="id" required autoFocus hint={w.egress.idHint} />
            )}
            {fields.map((field) => (
              <Shown key={field.name} field={field} />
            ))}
            {act.error && (
              <p role="alert" className="text-sm text-bad">
                {act.error.message}
              </p>
            )}
            <ModalActions>
              <Button onClick={() => setOpen(false)}>{t.cancel}</Button>
              <Button type="submit" look="primary" busy={act.isPending}>
                {w.egress.save}
              </Button>
            </ModalActions>
          </form>
        </Modal>
      )}
    </>
  );
}

function Shown({ field: { name, label, hint, kind, options, needed, start } }: { field: WayField }) {
  if (kind === 'check')
    return <Check label={label} {...(hint && { hint })} name={name} defaultChecked={start === true} />;
  const shared = { label, name, ...(hint && { hint }), defaultValue: String(start ?? '') };
  if (options) return <Select {...shared} options={options} />;
  return <Input {...shared} type={kind ?? 'text'} required={needed ?? false} />;
}

function bodyOf(form: FormData, fields: readonly WayField[]): Record<string, Value> {
  const pairs = fields.flatMap(({ name, kind, clears }): (readonly [string, Value])[] => {
    if (kind === 'check') return [[name, form.get(name) !== null]];
    const text = String(form.get(name) ?? '').trim();
    if (text === '') return clears ? [[name, null]] : [];
    return [[name, kind === 'number' ? Number(text) : text]];
  });
  return Object.fromEntries(pairs);
}

const poolField = (pools: readonly string[], start: string | undefined): WayField => ({
  ...{ name: 'pool', label: w.egress.pool, start: start ?? 'default' },
  options: pools.map((pool) => [pool, pool]),
});

export const PoolForm = ({ of: pool }: { of?: Pool }) => (
  <WayForm
    kind="pools"
    id={pool?.id}
    title={w.egress.pool}
    fields={[
      {
        ...{ name: 'order', label: w.egress.order, options: optionsOf(w.egress.orders) },
        start: pool?.order ?? 'sources-relays',
      },
      {
        ...{ name: 'when_blocked', label: w.egress.whenBlocked, options: optionsOf(w.egress.choices) },
        ...{ start: pool?.when_blocked ?? 'move', hint: w.egress.whenBlockedHint },
      },
      {
        ...{ name: 'over_budget', label: w.egress.overBudget, options: optionsOf(w.egress.choices) },
        ...{ start: pool?.over_budget ?? 'move', hint: w.egress.overBudgetHint },
      },
    ]}
  />
);

export const SourceForm = ({ of: source, pools }: { of?: Source; pools: readonly string[] }) => (
  <WayForm
    kind="sources"
    id={source?.id}
    title={w.egress.source}
    fields={[
      { name: 'address', label: w.egress.address, needed: true, start: source?.address },
      { name: 'ehlo', label: w.egress.ehlo, hint: w.egress.ehloHint, needed: true, start: source?.ehlo },
      poolField(pools, source?.pool),
      {
        ...{ name: 'warm_up', label: w.egress.warmUp, hint: w.egress.warmUpHint, kind: 'check' },
        start: source?.warm_up ?? true,
      },
    ]}
  />
);

export function RelayForm({ of: relay, pools }: { of?: Relay; pools: readonly string[] }) {
  const access: WayField[] = [
    { name: 'host', label: w.egress.host, needed: true, start: relay?.host },
    { name: 'port', label: w.egress.port, kind: 'number', start: relay?.port ?? 587 },
    {
      ...{ name: 'tls', label: w.egress.tls, options: optionsOf(w.egress.tlsWays) },
      start: relay?.tls ?? 'required',
    },
    { name: 'allow_plaintext', label: w.egress.allowPlaintext, kind: 'check' },
    { name: 'user', label: w.egress.user, start: relay?.user },
    {
      ...{ name: 'password', label: w.egress.password, kind: 'password' },
      ...(relay && { hint: w.egress.passwordHint }),
    },
  ];
  return (
    <WayForm
      kind="relays"
      id={relay?.id}
      title={w.egress.relay}
      fields={[
        // access to a relay of the settings is changed there
        ...(relay?.origin === 'settings' ? [] : access),
        poolField(pools, relay?.pool),
        { name: 'place', label: w.egress.place, kind: 'number', start: relay?.place ?? 0 },
      ]}
    />
  );
}

export const RuleForm = ({ of: rule, pools }: { of?: Rule; pools: readonly string[] }) => (
  <WayForm
    kind="rules"
    id={rule?.id}
    title={w.egress.rule}
    fields={[
      poolField(pools, rule?.pool),
      {
        name: 'place',
        label: w.egress.place,
        kind: 'number',
        hint: w.egress.placeHint,
        start: rule?.place ?? 0,
      },
      {
        name: 'account_id',
        label: w.account,
        hint: w.egress.accountHint,
        start: rule?.account_id,
        clears: true,
      },
      { name: 'sending_domain', label: w.egress.domain, start: rule?.sending_domain, clears: true },
      { name: 'provider', label: w.egress.provider, start: rule?.provider, clears: true },
      {
        ...{ name: 'stream', label: w.egress.stream, start: rule?.stream, clears: true },
        options: [['', w.egress.any], ...optionsOf(w.egress.streams)],
      },
      { name: 'tag', label: w.egress.tag, start: rule?.tag, clears: true },
    ]}
  />
);
