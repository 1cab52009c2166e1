import { Button, IconButton } from '../ui/button';
import { Input, Select } from '../ui/field';
import { t } from '../words/words';
import { useAttributes } from './attributes';
import { useListNames } from './forms';
import {
  changedAt,
  compared,
  COMPARISONS,
  conditionAbout,
  FIELD_COMPARISONS,
  MAX_GROUPS,
  MAX_OF_GROUP,
  subjectOf,
  withGroup,
  type Attributes,
  type AttributeType,
  type Condition,
  type Filter,
  type Group,
} from './segment-filter.rules';

type Names = readonly (readonly [id: string, name: string])[];
interface Known {
  attributes: Attributes;
  lists: Names;
}

const MATCHES = [
  ['all', t.segments.all],
  ['any', t.segments.any],
] as const;

/** The conditions of a segment, in groups. */
export function SegmentFilter({ filter, change }: { filter: Filter; change: (next: Filter) => void }) {
  const attributes: Attributes = new Map(
    useAttributes().data?.data.map(({ key, type }) => [key, type] as const) ?? [],
  );
  const known = { attributes, lists: useListNames() };
  const first: Group = { match: 'any', conditions: [conditionAbout('created', attributes, [])] };
  return (
    <div className="flex flex-col gap-4">
      {filter.groups.length > 1 && (
        <Select
          label={t.segments.groups}
          options={MATCHES}
          value={filter.match}
          onChange={(event) => change({ ...filter, match: event.target.value as Filter['match'] })}
        />
      )}
      {filter.groups.map((group, at) => (
        <GroupOf
          key={at}
          nth={at + 1}
          group={group}
          known={known}
          isOnly={filter.groups.length === 1 && group.conditions.length === 1}
          change={(next) => change(withGroup(filter, at, next))}
        />
      ))}
      {filter.groups.length < MAX_GROUPS && (
        <div>
          <Button icon="plus" onClick={() => change({ ...filter, groups: [...filter.groups, first] })}>
            {t.segments.addGroup}
          </Button>
        </div>
      )}
    </div>
  );
}

interface GroupProps {
  nth: number;
  group: Group;
  known: Known;
  /** the last condition of a filter stays */
  isOnly: boolean;
  change: (next: Group) => void;
}

function GroupOf({ nth, group, known, isOnly, change }: GroupProps) {
  const { conditions } = group;
  const put = (at: number, next?: Condition) =>
    change({ ...group, conditions: changedAt(conditions, at, next) });
  const added = conditionAbout('created', known.attributes, []);
  return (
    <fieldset className="panel flex min-w-0 flex-col gap-3 p-4">
      <legend className="sr-only">{t.segments.group(nth)}</legend>
      {conditions.length > 1 && (
        <Select
          label={t.segments.conditions}
          options={MATCHES}
          value={group.match}
          onChange={(event) => change({ ...group, match: event.target.value as Group['match'] })}
        />
      )}
      {conditions.map((condition, at) => (
        <div key={at} className="flex flex-wrap items-center gap-2">
          <div className="grid min-w-0 grow gap-2 sm:grid-cols-3">
            <ConditionOf condition={condition} known={known} change={(next) => put(at, next)} />
          </div>
          {!isOnly && <IconButton icon="trash" label={t.segments.remove(at + 1)} onClick={() => put(at)} />}
        </div>
      ))}
      {conditions.length < MAX_OF_GROUP && (
        <div>
          <Button icon="plus" onClick={() => change({ ...group, conditions: [...conditions, added] })}>
            {t.segments.addCondition}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

interface ConditionProps<C extends Condition = Condition> {
  condition: C;
  known: Known;
  change: (next: Condition) => void;
}

const SUBJECTS: Names = [
  ['field email', t.suppressions.address],
  ['field first_name', t.contacts.firstName],
  ['field last_name', t.contacts.lastName],
  ['list', t.forms.list],
  ['opened', t.segments.opened],
  ['clicked', t.segments.clicked],
  ['created', t.segments.created],
];

function ConditionOf({ condition, known, change }: ConditionProps) {
  const subject = subjectOf(condition);
  const keys = new Set(known.attributes.keys());
  if (condition.kind === 'attribute') keys.add(condition.key);
  const listIds = known.lists.map(([id]) => id);
  return (
    <>
      <Select
        label={t.segments.subject}
        bare
        options={[...SUBJECTS, ...[...keys].map((key) => [`attribute ${key}`, key] as const)]}
        value={subject}
        onChange={(event) => change(conditionAbout(event.target.value, known.attributes, listIds))}
      />
      {condition.kind === 'attribute' && <OfAttribute {...{ condition, known, change }} />}
      {condition.kind === 'field' && <OfField {...{ condition, known, change }} />}
      {condition.kind === 'list' && <OfList {...{ condition, known, change }} />}
      {condition.kind === 'engagement' && <OfEngagement {...{ condition, known, change }} />}
      {condition.kind === 'created' && (
        <>
          <Select
            label={t.segments.comparison}
            bare
            options={[
              ['within', t.segments.within],
              ['before', t.segments.before],
            ]}
            value={condition.within ? 'within' : 'before'}
            onChange={(event) => change({ ...condition, within: event.target.value === 'within' })}
          />
          <Days days={condition.days} change={(days) => change({ ...condition, days })} />
        </>
      )}
    </>
  );
}

type Of<K extends Condition['kind']> = ConditionProps<Extract<Condition, { kind: K }>>;

function OfAttribute({ condition, known, change }: Of<'attribute'>) {
  const type = known.attributes.get(condition.key) ?? 'string';
  return (
    <>
      <Select
        label={t.segments.comparison}
        bare
        options={COMPARISONS[type].map((is) => [is, t.segments.comparisons[is]] as const)}
        value={condition.is}
        onChange={(event) => change(compared(condition, event.target.value as typeof condition.is, type))}
      />
      {condition.value !== undefined && (
        <AttributeValue
          type={type}
          value={condition.value}
          change={(value) => change({ ...condition, value })}
        />
      )}
    </>
  );
}

const INPUTS = { string: 'text', number: 'number', date: 'date', timestamp: 'text' } as const;

function AttributeValue({
  type,
  value,
  change,
}: {
  type: AttributeType;
  value: string | number | boolean;
  change: (value: string | number | boolean) => void;
}) {
  if (type === 'boolean')
    return (
      <Select
        label={t.segments.value}
        bare
        options={[
          ['true', 'true'],
          ['false', 'false'],
        ]}
        value={String(value)}
        onChange={(event) => change(event.target.value === 'true')}
      />
    );
  return (
    <Input
      label={t.segments.value}
      bare
      required
      type={INPUTS[type]}
      step="any"
      maxLength={255}
      value={String(value)}
      onChange={(event) => change(type === 'number' ? event.target.valueAsNumber || 0 : event.target.value)}
    />
  );
}

function OfField({ condition, change }: Of<'field'>) {
  return (
    <>
      <Select
        label={t.segments.comparison}
        bare
        options={FIELD_COMPARISONS.map((is) => [is, t.segments.comparisons[is]] as const)}
        value={condition.is}
        onChange={(event) => change({ ...condition, is: event.target.value as typeof condition.is })}
      />
      <Input
        label={t.segments.value}
        bare
        required
        maxLength={255}
        value={condition.value}
        onChange={(event) => change({ ...condition, value: event.target.value })}
      />
    </>
  );
}

function OfList({ condition, known, change }: Of<'list'>) {
  const { list_id: id } = condition;
  const isKnown = known.lists.some(([one]) => one === id);
  return (
    <>
      <Select
        label={t.segments.comparison}
        bare
        options={[
          ['on', t.segments.onList],
          ['off', t.segments.notOnList],
        ]}
        value={condition.member ? 'on' : 'off'}
        onChange={(event) => change({ ...condition, member: event.target.value === 'on' })}
      />
      <Select
        label={t.forms.list}
        bare
        required
        options={isKnown || id === '' ? known.lists : [[id, t.segments.otherList], ...known.lists]}
        value={id}
        onChange={(event) => change({ ...condition, list_id: event.target.value })}
      />
    </>
  );
}

function OfEngagement({ condition, change }: Of<'engagement'>) {
  const is = `${condition.happened ? 'happened' : 'not'} ${condition.days === null ? 'ever' : 'within'}`;
  const days = condition.days ?? 30;
  return (
    <>
      <Select
        label={t.segments.comparison}
        bare
        options={[
          ['happened within', t.segments.within],
          ['not within', t.segments.notWithin],
          ['happened ever', t.segments.ever],
          ['not ever', t.segments.never],
        ]}
        value={is}
        onChange={(event) => {
          const [happened, when] = event.target.value.split(' ');
          change({ ...condition, happened: happened === 'happened', days: when === 'ever' ? null : days });
        }}
      />
      {condition.days !== null && (
        <Days days={days} change={(next) => change({ ...condition, days: next })} />
      )}
    </>
  );
}

function Days({ days, change }: { days: number; change: (days: number) => void }) {
  return (
    <Input
      label={t.segments.days}
      type="number"
      bare
      required
      min={1}
      max={3650}
      value={String(days)}
      onChange={(event) => change(Math.max(1, Math.round(event.target.valueAsNumber || 1)))}
    />
  );
}
