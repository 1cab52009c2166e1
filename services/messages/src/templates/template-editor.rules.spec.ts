import { describe, expect, it } from 'vitest';
import { editorOf } from './template-editor.rules.js';

describe('the editor of a new template', () => {
  it.each([
    [{ content: { mjml: 'x' } }, 'advanced'],
    [{ content: { html: 'x' } }, 'html'],
    [{ editor: 'simple' as const, content: { text: 'x' } }, 'simple'],
    [{ editor: 'html' as const }, 'html'],
    [{ editor: 'advanced' as const, content: { mjml: 'x', html: null } }, 'advanced'],
  ])('%j: %s', (input, editor) => {
    expect(editorOf(input as never)).toBe(editor);
  });

  it.each([
    [{}, 'editor is required when content has neither mjml nor html'],
    [{ content: { text: 'x' } }, 'editor is required when content has neither mjml nor html'],
    [{ editor: 'html', content: { mjml: 'x' } }, 'content.mjml is for the editor advanced, not for html'],
    [{ editor: 'simple', content: { html: 'x' } }, 'content.html is for the editor html, not for simple'],
  ])('%j is refused', (input, message) => {
    expect(() => editorOf(input as never)).toThrow(message);
  });
});
