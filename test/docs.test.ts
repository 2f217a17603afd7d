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

/** Groups of issue codes, as in the types of the runtime. */
const CODE =
  /`((?:overwrite|schema|syntax|owner|bound|action|confirm|skill|store|model|run)\.[a-z]+(?:_[a-z]+)*)`/g;
const EVENT = /^\| `([a-z]+\.[a-z]+)` \|/gm;
const isFile = (name: string): boolean => name.endsWith('.ts');

test('every issue code and event type that a page names exists in the sources', () => {
  const sources = globSync('packages/*/src/**/*.ts', { cwd: ROOT })
    .filter((file) => !file.endsWith('.test.ts'))
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');
  const known = (code: string): boolean => {
    const [group = '', name = ''] = code.split('.');
    return (
      sources.includes(code) || new RegExp(`['\`]${name}['\`]`).test(sources) || spelled(sources, group, name)
    );
  };
  const named = pages.flatMap((page) => {
    const text = readFileSync(join(ROOT, page), 'utf8');
    return [...text.matchAll(CODE), ...text.matchAll(EVENT)]
      .map((match) => `${page}: ${match[1] ?? ''}`)
      .filter((line) => !isFile(line));
  });
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((line) => !known(line.split(': ')[1] ?? ''))).toEqual([]);
});

/** Codes that are put together, such as `run.limit_${name}`. */
function spelled(sources: string, group: string, name: string): boolean {
  const stem = name.split('_')[0] ?? '';
  return sources.includes(`\`${group}.${stem}_\${`);
}

/** Lines of README's shell blocks that work as they are, without a key and within seconds. */
const lines = blocks('README.md', 'sh')
  .flatMap((block) => block.split('\n'))
  .map((line) => line.replace(/\s+#.*$/, '').trim())
  .filter((line) => /^npm run skillstate -- (init|check) /.test(line));

test('the shell lines of README that make and check a skill work in the order they stand', () => {
  expect(lines.length).toBeGreaterThan(1);
  const folder = join(ROOT, 'test', '.tmp', `shell-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const line of lines) {
    const args = line.slice('npm run skillstate -- '.length).split(/\s+/);
    const bin = join(ROOT, 'packages/skillstate/bin/skillstate.js');
    const { status, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd: folder, encoding: 'utf8' });
    expect([line, status, stderr]).toEqual([line, 0, '']);
  }
});
