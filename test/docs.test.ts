import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = resolve(import.meta.dirname, '..');
const pages = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md', 'packages/*/*.md'], { cwd: ROOT }).filter(
  (page) => !page.includes('node_modules') && !page.endsWith('SKILL.md') && !page.includes('/notes/'),
);

function blocks(page: string, language: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map(
    (match) => match[1] ?? '',
  );
}

test('there are pages to look at', () => {
  expect(pages).toContain('README.md');
  expect(pages.length).toBeGreaterThan(8);
});

test.each(pages.flatMap((page) => blocks(page, 'ts').map((code, index) => ({ page, index, code }))))(
  'the TypeScript example $index of $page runs',
  ({ code, index }) => {
    const folder = join(ROOT, 'test', '.tmp');
    const file = join(folder, `example-${process.pid}-${index}.ts`);
    mkdirSync(folder, { recursive: true });
    onTestFinished(() => rmSync(file, { force: true }));
    writeFileSync(file, code);
    const run = spawnSync(process.execPath, [file], { cwd: ROOT, encoding: 'utf8' });
    expect(run.stderr).toBe('');
    expect(run.status).toBe(0);
    const expected = /\/\/ (.+)$/m.exec(code)?.[1];
    if (expected !== undefined) expect(run.stdout.trim()).toBe(expected);
  },
);

test('every relative link leads to a file', () => {
  const broken = pages.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8').replace(/```[\s\S]*?```/g, '');
    return [...text.matchAll(/\]\(([^)#\s]+)(#[^)]*)?\)/g)]
      .map((match) => match[1] ?? '')
      .filter((link) => !/^[a-z]+:/.test(link) && !existsSync(join(ROOT, dirname(page), link)))
      .map((link) => `${page}: ${link}`);
  });
  expect(broken).toEqual([]);
});

test('every npm script that a page names is there', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  const named = pages.flatMap((page) =>
    [...readFileSync(join(ROOT, page), 'utf8').matchAll(/npm run (?:-s )?([a-z:]+)/g)].map(
      (match) => match[1] ?? '',
    ),
  );
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
});
