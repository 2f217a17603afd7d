import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readInside } from './file.ts';
import { loadNamedSkill, loadSkill, loadSkills } from './load.ts';
import { parseSkillDocument } from './skill.ts';

const STATE = 'state: {properties: {task: {type: string}}}\n';
const SKILL = '---\nname: a\ndescription: d\n---\nB\n';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'skill-'));
});
afterEach(() => rm(root, { recursive: true }));

async function write(name: string, skill: string | Uint8Array, state: string = STATE): Promise<string> {
  const folder = join(root, name);
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'SKILL.md'), skill);
  await writeFile(join(folder, 'SKILL.state.yaml'), state);
  return folder;
}

async function problems(folder: string): Promise<string[]> {
  const loaded = await loadSkill(folder);
  return loaded.ok ? [] : loaded.issues.map(({ code, path, hint }) => `${code} ${path} ${hint}`);
}

async function withState(state: string): Promise<string[]> {
  return problems(await write('a', SKILL, state));
}

async function withFrontmatter(frontmatter: string): Promise<string[]> {
  return problems(await write('a', `---\n${frontmatter}\n---\nB\n`));
}

describe('SKILL.md', () => {
  test('P63: BOM, CRLF and a missing last line end load as the same skill with the same digest', async () => {
    const variants = [
      SKILL,
      `\ufeff${SKILL}`,
      SKILL.replaceAll('\n', '\r\n'),
      `\ufeff${SKILL.replaceAll('\n', '\r\n')}`,
      '---\nname: a\ndescription: d\n---\n\nB',
    ];
    const digests = new Set<string>();
    for (const text of variants) {
      const loaded = await loadSkill(
        await write('a', text, text.includes('\r') ? STATE.replaceAll('\n', '\r\n') : STATE),
      );
      expect(loaded).toMatchObject({
        ok: true,
        value: { warnings: [], skill: { name: 'a', description: 'd', instructions: 'B' } },
      });
      if (loaded.ok) digests.add(loaded.value.skill.digest);
    }
    expect(digests.size).toBe(1);
  });

  test('P63: a file may end behind the frontmatter; a rule and a BOM inside the body are kept', async () => {
    const empty = await loadSkill(await write('a', '---\nname: a\ndescription: d\n---'));
    expect(empty).toMatchObject({ ok: true, value: { skill: { instructions: '' } } });
    const ruled = await loadSkill(
      await write('a', '---\nname: a\ndescription: d\n---\n\ufeffone\n\n---\n\ntwo\n'),
    );
    expect(ruled).toMatchObject({ ok: true, value: { skill: { instructions: '\ufeffone\n\n---\n\ntwo' } } });
  });

  test('P64: broken YAML is reported with file, line and a fix; the others still load and the count is given', async () => {
    expect(await withFrontmatter('name: a\ndescription: Deploy the service: build, then push')).toEqual([
      expect.stringMatching(/^skill\.yaml .*SKILL\.md line 3: .*quote the whole value \(description:/),
    ]);
    expect(await withFrontmatter('description: "Quoted head" then more words')).toEqual([
      expect.stringMatching(/SKILL\.md line 2: .*quote the whole value/),
    ]);
    expect(await withFrontmatter('name: a\nname: b\ndescription: d')).toEqual([
      expect.stringMatching(/SKILL\.md line 3: .*unique.*delete one/),
    ]);
    await write('a', '---\ndescription: x: y\n---\n');
    await write('b', SKILL.replace('name: a', 'name: b'));
    await write('c', SKILL.replace('name: a', 'name: b'));
    await mkdir(join(root, 'no-skill'));
    const { skills, skipped, summary } = await loadSkills(root);
    expect(summary).toBe('1 skill, 2 skipped');
    expect(skills.map(({ skill }) => skill.name)).toEqual(['b']);
    expect(skipped.map(({ folder, issues }) => `${folder} ${issues[0]?.code}`)).toEqual([
      'a skill.yaml',
      'c skill.name',
    ]);
  });

  test('P65: what YAML takes for numbers, times and booleans stays text; block descriptions keep their lines', async () => {
    const frontmatter =
      'name: no\nmetadata: {version: 1.10, id: 0123, when: 2026-09-01, at: 12:30}\ndescription: |\n  line one\n  line two';
    const loaded = await loadSkill(await write('no', `---\n${frontmatter}\n---\nB`));
    expect(loaded).toMatchObject({
      ok: true,
      value: { warnings: [], skill: { name: 'no', description: 'line one\nline two' } },
    });
    const numbered = await loadSkill(await write('0123', '---\nname: 0123\ndescription: 1.10\n---\n'));
    expect(numbered).toMatchObject({ ok: true, value: { skill: { name: '0123', description: '1.10' } } });
  });

  test('P65: wrong types for name and description, and alias bombs, are refused', async () => {
    expect(await withFrontmatter('name: [a]\ndescription: {x: y}')).toEqual([
      expect.stringMatching(/^skill\.name .*line 2/),
      expect.stringMatching(/^skill\.description .*line 3.*not text/),
    ]);
    expect(await withFrontmatter('name: a\ndescription:')).toEqual([expect.stringMatching(/missing/)]);
    const bomb = ['a: &a [x,x,x,x,x,x,x,x,x]'];
    for (let i = 1; i < 9; i++)
      bomb.push(`${'abcdefghi'[i]}: &${'abcdefghi'[i]} [${`*${'abcdefghi'[i - 1]},`.repeat(9)}]`);
    expect(await withFrontmatter(bomb.join('\n'))).toEqual([expect.stringMatching(/skill\.yaml.*alias/)]);
    expect(await withFrontmatter(`name: a\ndescription: d\nx: ${'['.repeat(20_000)}`)).toEqual([
      expect.stringMatching(/skill\.yaml/),
    ]);
  });

  test('P66: nothing in a file is run: only plain --- YAML without tags is read', async () => {
    const code = "{ name: (globalThis.__ran = 1, 'x'), description: 'd' }";
    const first = await problems(await write('a', `---js\n${code}\n---\nbody`));
    expect(first).toEqual([expect.stringMatching(/^skill\.frontmatter .*line 1.*---js/)]);
    const tagged = await withFrontmatter(
      'name: a\ndescription: !!js/function "function(){ globalThis.__ran = 1 }"',
    );
    expect(tagged).toEqual([expect.stringMatching(/skill\.yaml.*line 3.*tags are not allowed/)]);
    const body = await loadSkill(
      await write('a', `---\nname: a\ndescription: d\n---\n---js\n${code}\n---\n`),
    );
    expect(body).toMatchObject({ ok: true, value: { skill: { instructions: `---js\n${code}\n---` } } });
    expect((globalThis as { __ran?: number }).__ran).toBeUndefined();
  });

  test('P10: a __proto__ key in frontmatter or state is refused', async () => {
    const own = await withFrontmatter('name: a\ndescription: d\n__proto__: {admin: true}');
    expect(own).toEqual([expect.stringMatching(/^syntax\.forbidden_key \/__proto__ SKILL\.md line 4/)]);
    expect(await withState(`${STATE}initial: {constructor: {x: 1}}\n`)).toEqual([
      expect.stringMatching(/^syntax\.forbidden_key \/initial\/constructor SKILL\.state\.yaml line 2/),
    ]);
    expect(({} as { admin?: boolean }).admin).toBeUndefined();
  });

  test('naming faults are warnings with their line, path-like names are errors', async () => {
    const loaded = await loadSkill(
      await write('folder', '---\nname: My Skill\ndescription: d\nauthor: me\n---\n'),
    );
    expect(loaded.ok && loaded.value.warnings.map(({ path }) => path)).toEqual(['/name', '/name', '/author']);
    for (const name of ['../../etc', '/etc', 'a%2f..%2fb', '..', 'a\\b']) {
      expect(await withFrontmatter(`name: '${name}'\ndescription: d`), name).toEqual([
        expect.stringMatching(/^skill\.name .*act as a path/),
      ]);
    }
  });

  test('no frontmatter, an unclosed one, other encodings and huge files have their own messages', async () => {
    expect(await problems(await write('a', '# Only text'))).toEqual([
      expect.stringMatching(/must begin with ---/),
    ]);
    expect(await problems(await write('a', '---\nname: a\n'))).toEqual([
      expect.stringMatching(/no closing ---/),
    ]);
    const latin = Buffer.from('---\nname: a\ndescription: caf\xe9\n---\n', 'latin1');
    expect(await problems(await write('a', latin))).toEqual([
      expect.stringMatching(/^skill\.encoding.*UTF-8/),
    ]);
    expect(await problems(await write('a', `${SKILL}${'x'.repeat(600_000)}`))).toEqual([
      expect.stringMatching(/^skill\.size/),
    ]);
  });
});

describe('P67: nothing outside the folder is read', () => {
  test('a name that is a path opens nothing', async () => {
    await write('a', SKILL);
    expect((await loadNamedSkill(root, 'a')).ok).toBe(true);
    for (const name of ['../a', '../../etc', '/etc', 'a%2f..%2fb', 'A', 'ａ', 'a\0', '']) {
      expect(await loadNamedSkill(join(root, 'a'), name), name).toMatchObject({
        ok: false,
        issues: [{ code: 'skill.name' }],
      });
    }
  });

  test('links are refused: SKILL.md, the state file, the folder, a folder on the way', async () => {
    await writeFile(join(root, 'secret'), SKILL);
    const folder = await write('a', SKILL);
    await rm(join(folder, 'SKILL.md'));
    await symlink(join(root, 'secret'), join(folder, 'SKILL.md'));
    expect(await problems(folder)).toEqual([expect.stringMatching(/^skill\.path.*symbolic link/)]);
    await write('real', SKILL.replace('name: a', 'name: real'));
    await symlink(join(root, 'real'), join(root, 'link'));
    expect(await problems(join(root, 'link'))).toEqual([
      expect.stringMatching(/^skill\.path.*symbolic link/),
    ]);
    const { summary, skipped } = await loadSkills(root);
    expect(summary).toBe('1 skill, 2 skipped');
    expect(JSON.stringify(skipped)).not.toContain('description: d');
    await symlink(root, join(root, 'real', 'out'));
    expect(await readInside(join(root, 'real'), 'out/secret', 1000)).toMatchObject({
      issues: [{ code: 'skill.path', hint: expect.stringContaining('leads out') }],
    });
  });

  test('paths that lead out, absolute paths, folders and pipes are refused', async () => {
    await write('a', SKILL);
    await writeFile(join(root, '.env'), 'KEY=1');
    for (const path of [
      '../.env',
      'x/../../.env',
      join(root, '.env'),
      '..\\.env',
      'C:/x',
      './SKILL.md',
      '',
      'a\0b',
    ]) {
      expect(await readInside(join(root, 'a'), path, 1000), path).toMatchObject({
        issues: [{ code: 'skill.path' }],
      });
    }
    expect(await readInside(root, 'a', 1000)).toMatchObject({ issues: [{ code: 'skill.path' }] });
    execFileSync('mkfifo', [join(root, 'a', 'pipe')]);
    expect(await readInside(join(root, 'a'), 'pipe', 1000)).toMatchObject({
      issues: [{ code: 'skill.path' }],
    });
    expect(await readInside(join(root, 'a'), 'SKILL.md', 1000)).toEqual({ ok: true, value: SKILL });
  });
});

describe('SKILL.state.yaml', () => {
  test('a folder without one says how to make one', async () => {
    const folder = await write('a', SKILL);
    await rm(join(folder, 'SKILL.state.yaml'));
    expect(await problems(folder)).toEqual([
      expect.stringMatching(/^skill\.state_missing .*skillstate init/),
    ]);
  });

  test('every problem is reported at once, with path, line and the nearest word', async () => {
    const found = await withState(
      [
        'state:',
        '  properties:',
        '    task: {type: strin}',
        '    list: {type: array, x-megre: append}',
        '    n: {type: integer, x-merge: append}',
        'limits: {stesp: 5, rejections: many}',
        'done: "state.task =="',
        'ledgre: true',
      ].join('\n'),
    );
    expect(found).toEqual([
      'skill.unknown_key /ledgre SKILL.state.yaml line 8: unknown key ledgre; did you mean ledger?',
      'skill.unknown_key /limits/stesp SKILL.state.yaml line 6: unknown key stesp; did you mean steps?',
      'skill.value /limits/rejections SKILL.state.yaml line 6: must be a whole number; got "many"',
      expect.stringMatching(
        /^skill\.schema \/state\/properties\/task\/type SKILL\.state\.yaml line 3: type must be one of /,
      ),
      'skill.schema /state/properties/list/x-megre SKILL.state.yaml line 4: unknown key x-megre; did you mean x-merge?',
      'skill.schema /state/properties/n/x-merge SKILL.state.yaml line 5: x-merge append is for lists',
      expect.stringMatching(/^skill\.expression \/done SKILL\.state\.yaml line 7: /),
    ]);
    expect(await withState('state: {properties: {task: {type: strin}}}')).toEqual([
      expect.stringMatching(/^skill\.schema \/state\/properties\/task\/type .*line 1/),
    ]);
  });

  test('anchors, and references that need them, are refused at their place with the form that works', async () => {
    const text =
      'state:\n  properties:\n    n: {type: integer, $anchor: nn}\n    m: {$ref: "#nn"}\n    k: {$dynamicRef: "#nn"}';
    expect(await withState(text)).toEqual([
      expect.stringMatching(/^skill\.schema \/state\/properties\/n\/\$anchor .*line 3: .*#\/\$defs\/NAME/),
      expect.stringMatching(/^skill\.schema \/state\/properties\/m\/\$ref .*line 4: only references inside/),
      expect.stringMatching(/^skill\.schema \/state\/properties\/k\/\$dynamicRef .*line 5: only \$ref/),
    ]);
  });

  test('initial must be valid against the state', async () => {
    expect(
      await withState('state: {properties: {n: {type: integer}}, required: [n, m]}\ninitial: {n: x, o: 1}'),
    ).toEqual([
      expect.stringMatching(/^skill\.initial \/initial\/m .*missing/),
      expect.stringMatching(/^skill\.initial \/initial\/o .*line 2: unknown key o/),
      expect.stringMatching(/^skill\.initial \/initial\/n .*line 2: must be a whole number; got "x"/),
    ]);
  });

  test('P65: text stays text where text is wanted', async () => {
    const state = `version: 1.10\nstate: {properties: {id: {type: string}, when: {type: string}, any: {}}}\ninitial: {id: 1.10, when: 2026-09-01, any: 0123}\n`;
    const loaded = await loadSkill(await write('a', SKILL, state));
    expect(loaded).toMatchObject({
      value: { skill: { version: '1.10', initial: { id: '1.10', when: '2026-09-01', any: '0123' } } },
    });
  });

  test('P07: numbers that no double holds are refused with their line', async () => {
    expect(await withState(`${STATE}limits:\n  tokens: 1e400\n`)).toEqual([
      expect.stringMatching(/line 3: 1e400 is not finite/),
    ]);
    expect(await withState(`${STATE}limits: {costUsd: .nan}\n`)).toEqual([
      expect.stringMatching(/line 2: .*not finite/),
    ]);
    expect(await withState(`${STATE}initial: {task: 9007199254740993}\n`)).toEqual([
      expect.stringMatching(/in quotes/),
    ]);
  });

  test('P19: a newer format is refused, and so is a skill that a newer program stored', async () => {
    expect(await withState(`format: 2\n${STATE}`)).toEqual([
      expect.stringMatching(/^skill\.newer \/format .*line 1.*update/),
    ]);
    const loaded = await loadSkill(await write('a', SKILL));
    const skill = loaded.ok ? loaded.value.skill : null;
    expect(parseSkillDocument({ ...skill, sandboxes: [] })).toMatchObject({
      issues: [{ code: 'skill.newer' }],
    });
  });

  test('P09: a deep schema is refused, and the process lives', async () => {
    const deep = `state: ${'{properties: {a: '.repeat(50)}{}${'}}'.repeat(50)}`;
    expect((await withState(deep))[0]).toMatch(/^syntax\.depth/);
  });

  test('servers, checks and confirmations must make sense', async () => {
    const found = await withState(`${STATE}
actions:
  servers:
    one: {url: ftp://x}
    two: {command: x, url: http://y}
    three: {args: [x]}
confirmations:
  - {name: c, after: w, subject: args.id, read: {tool: r, args: {id: "=args."}}, checks: [{cel: "true", is: exists, of: read}], set: {path: /task}}
  - {name: c, after: w, subject: args.id, read: {tool: r}, checks: [{is: count, of: read}], set: {path: /task}}
migrations: [{from: 1, patch: {}}]
`);
    expect(found.map((line) => line.split(' ').slice(0, 2).join(' '))).toEqual([
      'skill.value /actions/servers/one/url',
      'skill.value /actions/servers/two/command',
      'skill.missing_key /actions/servers/three/command',
      'skill.value /confirmations/0/checks/0',
      'skill.value /confirmations/1/name',
      'skill.value /confirmations/1/checks/0',
      'skill.expression /confirmations/0/reads/0/args/id',
      'skill.value /migrations/0/from',
    ]);
  });

  test('the examples of the documentation load', async () => {
    const doc = await readFile(new URL('../../../../docs/skill-format.md', import.meta.url), 'utf8');
    const head = /```markdown\n([^]*?)```/.exec(doc)?.[1] as string;
    const examples = [...doc.matchAll(/```yaml\n([^]*?)```/g)].map((match) => match[1] as string);
    expect(examples).toHaveLength(2);
    for (const example of examples) {
      expect(await problems(await write('publish-orders', head, example))).toEqual([]);
    }
  });

  test('the documentation names every key and every default', async () => {
    const doc = await readFile(new URL('../../../../docs/skill-format.md', import.meta.url), 'utf8');
    const loaded = await loadSkill(await write('a', SKILL));
    if (!loaded.ok) throw new Error('must load');
    const { skill } = loaded.value;
    const rows = { ...skill.limits, ...skill.observation, ...skill.approvals, ...skill.actions, ...skill };
    for (const key of Object.keys(rows)) expect(doc, key).toContain(key);
    for (const [key, value] of Object.entries({
      ...skill.observation,
      steps: 200,
      rejections: 4,
      noProgress: 3,
    })) {
      expect(doc).toMatch(new RegExp(`\\\`(limits|observation)\\.${key}\\\` \\| ${value} \\|`));
    }
  });
});

test('a folder replaced between listing and loading is an issue, not a throw', async () => {
  const folder = await write('a', SKILL);
  await rename(folder, `${folder}-gone`);
  expect(await problems(folder)).toEqual([expect.stringMatching(/^skill\.missing/)]);
});
