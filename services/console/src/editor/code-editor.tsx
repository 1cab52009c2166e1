import { html } from '@codemirror/lang-html';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { tags } from '@lezer/highlight';
import { EditorView, basicSetup } from 'codemirror';
import { useEffect, useRef } from 'react';

const LOOK = EditorView.theme({
  '&': { height: '100%', backgroundColor: 'var(--surface)', color: 'var(--ink)', fontSize: '12.5px' },
  '&.cm-focused': { outline: '2px solid var(--accent)', outlineOffset: '-1px' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace',
    lineHeight: '1.55',
  },
  '.cm-content': { caretColor: 'var(--ink)' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': { backgroundColor: 'var(--sunken)', color: 'var(--ink-3)', border: 'none' },
  '.cm-activeLine, .cm-activeLineGutter': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 8%, transparent)',
  },
  '&.cm-focused .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 25%, transparent) !important',
  },
});

const COLORS = HighlightStyle.define([
  { tag: tags.tagName, color: 'var(--accent)' },
  { tag: [tags.attributeName, tags.propertyName], color: 'var(--ink-2)' },
  { tag: [tags.attributeValue, tags.string, tags.color, tags.number], color: 'var(--good)' },
  { tag: [tags.comment, tags.angleBracket, tags.meta], color: 'var(--ink-3)' },
  { tag: [tags.keyword, tags.invalid], color: 'var(--bad)' },
]);

/**
 * Code with search, MJML and HTML with colours. It lives in a shadow tree: CodeMirror then writes its styles as adopted style sheets,
 * which the policy of the page allows, in place of a style element, which it refuses.
 */
export default function CodeEditor({
  value,
  onChange,
  label,
  isMarkup = true,
  readOnly = false,
}: {
  value: string;
  onChange: (value: string) => void;
  label: string;
  /** else JSON, without colours */
  isMarkup?: boolean;
  readOnly?: boolean;
}) {
  const place = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const changed = useRef(onChange);
  changed.current = onChange;
  const initial = useRef(value);
  useEffect(() => {
    const host = place.current;
    if (!host) return;
    const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' });
    const parent = document.createElement('div');
    parent.style.height = '100%';
    root.replaceChildren(parent);
    const editor = new EditorView({
      doc: initial.current,
      parent,
      root,
      extensions: [
        basicSetup,
        ...(isMarkup ? [html()] : []),
        LOOK,
        syntaxHighlighting(COLORS),
        EditorView.lineWrapping,
        EditorView.editable.of(!readOnly),
        EditorView.contentAttributes.of({ 'aria-label': label }),
        EditorView.updateListener.of((update) => {
          if (update.docChanged) changed.current(update.state.doc.toString());
        }),
      ],
    });
    view.current = editor;
    return () => editor.destroy();
  }, [label, isMarkup, readOnly]);
  useEffect(() => {
    const editor = view.current;
    initial.current = value;
    // a value from outside: another version, a restored draft
    if (editor && editor.state.doc.toString() !== value)
      editor.dispatch({ changes: { from: 0, to: editor.state.doc.length, insert: value } });
  }, [value]);
  return <div ref={place} className="h-full min-h-72" />;
}
