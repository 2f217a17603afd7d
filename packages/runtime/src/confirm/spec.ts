import { formatPointer, parsePointer } from '../json/pointer.ts';
import { type Contract } from '../state/contract.ts';
import { ANY, type Field, itemField, memberField } from '../state/field.ts';
import type { ConfirmationSpec, Issue, Pointer, Skill, ToolSpec } from '../types.ts';
import { validatorOf } from './check.ts';
import { TAKEN } from './scope.ts';

/**
 * What is wrong with a skill's confirmations given its tools: an action or a reading tool that is not there, a reading tool
 * that may change something, a field that is not the runtime's, a schema that is none. Codes `skill.confirmation`, `skill.confirmation_tool` (no source offers it).
 */
export function checkConfirmations(
  skill: Skill,
  contract: Contract,
  tools: readonly ToolSpec[],
): readonly Issue[] {
  return skill.confirmations.flatMap((spec, index) => {
    const path = formatPointer(['confirmations', index]);
    return [
      ...afterIssues(spec, tools, path),
      ...readIssues(spec, tools, path),
      ...checkIssues(spec, path),
      ...fieldIssues(spec, contract, path),
    ];
  });
}

function afterIssues(spec: ConfirmationSpec, tools: readonly ToolSpec[], path: Pointer): Issue[] {
  return spec.after.flatMap((name, index) => {
    const tool = tools.find((one) => one.name === name);
    const at = `${path}/after/${index}`;
    if (tool === undefined) return [noTool(at, name)];
    return tool.readOnly ? [fault(at, `${name} is read-only: there is nothing to confirm after it`)] : [];
  });
}

function readIssues(spec: ConfirmationSpec, tools: readonly ToolSpec[], path: Pointer): Issue[] {
  return spec.reads.flatMap((read, index) => {
    const at = `${path}/reads/${index}`;
    const issues = TAKEN.has(read.as)
      ? [fault(`${at}/as`, `${read.as} already means something else here`)]
      : [];
    const tool = tools.find((one) => one.name === read.tool);
    if (tool === undefined) return [...issues, noTool(`${at}/tool`, read.tool)];
    if (tool.readOnly) return issues;
    const hint = `${read.tool} is not declared read-only; a confirmation may only read (declare readOnly under actions.tools if it does)`;
    return [...issues, fault(`${at}/tool`, hint)];
  });
}

function checkIssues(spec: ConfirmationSpec, path: Pointer): Issue[] {
  return spec.checks.flatMap((check, index) => {
    const problem = 'schema' in check ? validatorOf(check.schema) : null;
    return typeof problem === 'string' ? [fault(`${path}/checks/${index}/schema`, problem)] : [];
  });
}

/** The whole of what is confirmed must be the runtime's, or a model could write it (P43). */
function fieldIssues(spec: ConfirmationSpec, contract: Contract, path: Pointer): Issue[] {
  const at = `${path}/set/path`;
  let field: Field | null = contract.root;
  for (const segment of parsePointer(spec.set.path) ?? []) {
    const list: boolean = field.types.has('array') && !field.types.has('object');
    if (list && field.key === null)
      return [fault(at, 'items of a list have no path; use a map or a keyed list')];
    const member: Field | null = segment.startsWith('=')
      ? (field.additional ?? field.patterns[0]?.field ?? null)
      : memberField(field, segment);
    field = list ? itemField(field) : member;
    if (field === null) return [fault(at, `the state has no field ${segment} there`)];
  }
  if (field !== ANY && field.owner === 'runtime') return [];
  return [fault(at, `${spec.set.path} must be the runtime's: declare x-owner: runtime`)];
}

function fault(path: Pointer, hint: string): Issue {
  return { code: 'skill.confirmation', path, hint };
}

function noTool(path: Pointer, name: string): Issue {
  return { code: 'skill.confirmation_tool', path, hint: `no source offers ${name}` };
}
