import { useRef } from 'react';
import { Button } from '../ui/button';
import { Input, Select, TextArea } from '../ui/field';
import { t } from '../words/words';
import { withMark, type Block, type Mark } from './blocks.rules';

type Write = (block: Block, field: string) => void;

/** The fields of a block. */
export function BlockFields({ block, write }: { block: Block; write: Write }) {
  switch (block.kind) {
    case 'heading':
      return (
        <>
          <Input
            label={t.blocks.words}
            value={block.text}
            onChange={(event) => write({ ...block, text: event.target.value }, 'text')}
          />
          <div className="grid grid-cols-2 gap-3">
            <Choice
              label={t.blocks.size}
              options={t.blocks.sizes}
              value={block.size}
              choose={(size) => write({ ...block, size }, 'size')}
            />
            <Align block={block} write={write} />
          </div>
        </>
      );
    case 'text':
      return (
        <>
          <MarkedText value={block.text} onChange={(text) => write({ ...block, text }, 'text')} />
          <Align block={block} write={write} />
        </>
      );
    case 'button':
      return (
        <>
          <Input
            label={t.blocks.label}
            value={block.label}
            onChange={(event) => write({ ...block, label: event.target.value }, 'label')}
          />
          <Url
            label={t.blocks.target}
            hint={t.blocks.leftOut}
            value={block.url}
            onChange={(url) => write({ ...block, url }, 'url')}
          />
          <Align block={block} write={write} />
        </>
      );
    case 'image':
      return (
        <>
          <Url
            label={t.blocks.image}
            hint={t.blocks.imageHint}
            value={block.url}
            onChange={(url) => write({ ...block, url }, 'url')}
          />
          <Input
            label={t.blocks.alt}
            hint={t.blocks.altHint}
            value={block.alt}
            onChange={(event) => write({ ...block, alt: event.target.value }, 'alt')}
          />
          <Url
            label={t.blocks.link}
            hint={t.domains.optional}
            value={block.link}
            onChange={(link) => write({ ...block, link }, 'link')}
          />
          <Choice
            label={t.blocks.width}
            options={t.blocks.widths}
            value={block.width}
            choose={(width) => write({ ...block, width }, 'width')}
          />
        </>
      );
    case 'space':
      return (
        <Choice
          label={t.blocks.size}
          options={t.blocks.sizes}
          value={block.size}
          choose={(size) => write({ ...block, size }, 'size')}
        />
      );
    case 'footer':
      return <MarkedText value={block.text} onChange={(text) => write({ ...block, text }, 'text')} />;
    case 'divider':
      return <p className="text-sm text-ink-3">{t.blocks.nothingToSet}</p>;
  }
}

function Choice<T extends string>({
  label,
  options,
  value,
  choose,
}: {
  label: string;
  options: readonly (readonly [T, string])[];
  value: T;
  choose: (value: T) => void;
}) {
  return (
    <Select
      label={label}
      options={options}
      value={value}
      onChange={(event) => choose(event.target.value as T)}
    />
  );
}

function Align({ block, write }: { block: Extract<Block, { align: string }>; write: Write }) {
  return (
    <Choice
      label={t.blocks.align}
      options={t.blocks.aligns}
      value={block.align}
      choose={(align) => write({ ...block, align }, 'align')}
    />
  );
}

function Url({
  label,
  hint,
  value,
  onChange,
}: {
  label: string;
  hint: string;
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <Input
      inputMode="url"
      label={label}
      hint={hint}
      placeholder="https://"
      value={value}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}

const MARKS: readonly (readonly [Mark, string])[] = [
  ['bold', t.blocks.bold],
  ['italic', t.blocks.italic],
  ['link', t.blocks.makeLink],
];

/** Text with light marks, which the buttons set around the selected words. */
function MarkedText({ value, onChange }: { value: string; onChange: (text: string) => void }) {
  const area = useRef<HTMLTextAreaElement>(null);
  const mark = (kind: Mark) => {
    const field = area.current;
    if (!field) return;
    const marked = withMark({ text: value, start: field.selectionStart, end: field.selectionEnd }, kind);
    onChange(marked.text);
    // once the new text is in the field
    requestAnimationFrame(() => {
      field.focus();
      field.setSelectionRange(marked.start, marked.end);
    });
  };
  return (
    <div>
      <div role="group" aria-label={t.blocks.marks} className="mb-2 flex flex-wrap gap-2">
        {MARKS.map(([kind, label]) => (
          <Button key={kind} className="min-h-7 px-2 text-xs" onClick={() => mark(kind)}>
            {label}
          </Button>
        ))}
      </div>
      <TextArea
        ref={area}
        label={t.blocks.words}
        hint={t.blocks.marksHint}
        rows={5}
        value={value}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  );
}
