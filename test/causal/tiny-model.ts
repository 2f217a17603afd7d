/**
 * A real causal model small enough to be written by hand: an ONNX graph that looks up one row of logits for each token
 * (a bigram model), and a byte-level tokenizer without merges. In the layout of the Hugging Face hub, with the inputs and
 * outputs of the models there: mask, positions, and a cache of keys and values that is passed on as it came.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const START = 256;
const VOCABULARY = 257;

/** Logits of the token behind `before`; any fixed numbers will do. */
export function logit(before: number, token: number): number {
  return Math.fround(((before * 31 + token * 17) % 101) / 20);
}

/** `first`: what the tokenizer puts before every text by itself, as Llama's does with a space. */
export function writeTinyModel(folder: string, first = ''): void {
  mkdirSync(join(folder, 'onnx'), { recursive: true });
  const json = (name: string, value: object): void =>
    writeFileSync(join(folder, name), JSON.stringify(value));
  json('config.json', {
    model_type: 'gpt2',
    architectures: ['GPT2LMHeadModel'],
    n_positions: 16,
    n_head: 1,
    n_layer: 1,
    n_embd: 8,
    vocab_size: VOCABULARY,
  });
  json('tokenizer_config.json', { tokenizer_class: 'GPT2Tokenizer', bos_token: '<s>', unk_token: '<s>' });
  json('tokenizer.json', tokenizer(first));
  writeFileSync(join(folder, 'onnx', 'model.onnx'), onnx());
}

/** GPT-2's printable stand-ins of the 256 bytes: visible Latin-1 stands for itself, the others for U+0100 and up. */
export function byteChars(): string[] {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const visible = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
    return String.fromCharCode(visible ? byte : next++);
  });
}

function tokenizer(first: string): object {
  const vocab = Object.fromEntries(byteChars().map((char, byte) => [char, byte]));
  const byteLevel = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: true, use_regex: true };
  const start = { id: START, content: '<s>', special: true };
  return {
    version: '1.0',
    added_tokens: [{ ...start, single_word: false, lstrip: false, rstrip: false, normalized: false }],
    normalizer: first === '' ? null : { type: 'Prepend', prepend: first },
    pre_tokenizer: byteLevel,
    post_processor: byteLevel,
    decoder: byteLevel,
    model: { type: 'BPE', vocab: { ...vocab, '<s>': START }, merges: [], unk_token: null },
  };
}

const CACHE = ['key', 'value'].map((name) => [`past_key_values.0.${name}`, `present.0.${name}`] as const);

/** The graph as protocol buffers (onnx.proto, IR version 8, opset 13): `logits = Gather(W, input_ids)`. */
function onnx(): Buffer {
  const weights = Buffer.alloc(VOCABULARY * VOCABULARY * 4);
  for (let before = 0; before < VOCABULARY; before++)
    for (let token = 0; token < VOCABULARY; token++)
      weights.writeFloatLE(logit(before, token), (before * VOCABULARY + token) * 4);
  const dims = [VOCABULARY, VOCABULARY].map((size) => number(1, size));
  const tensor = Buffer.concat([...dims, number(2, FLOAT), text(8, 'W'), bytes(9, weights)]);
  const graph = Buffer.concat([
    node('Gather', ['W', 'input_ids'], 'logits'),
    ...CACHE.map(([past, present]) => node('Identity', [past], present)),
    text(2, 'bigram'),
    bytes(5, tensor),
    bytes(11, port('input_ids', INT64, ['batch_size', 'length'])),
    bytes(11, port('attention_mask', INT64, ['batch_size', 'total'])),
    bytes(11, port('position_ids', INT64, ['batch_size', 'length'])),
    ...CACHE.map(([past]) => bytes(11, port(past, FLOAT, ['batch_size', 1, 'past', 8]))),
    bytes(12, port('logits', FLOAT, ['batch_size', 'length', VOCABULARY])),
    ...CACHE.map(([, present]) => bytes(12, port(present, FLOAT, ['batch_size', 1, 'past', 8]))),
  ]);
  return Buffer.concat([number(1, 8), bytes(7, graph), bytes(8, number(2, 13))]);
}

const FLOAT = 1;
const INT64 = 7;

function node(operator: string, inputs: readonly string[], output: string): Buffer {
  return bytes(
    1,
    Buffer.concat([...inputs.map((name) => text(1, name)), text(2, output), text(4, operator)]),
  );
}

function port(name: string, type: number, shape: readonly (string | number)[]): Buffer {
  const sizes = shape.map((size) => bytes(1, typeof size === 'number' ? number(1, size) : text(2, size)));
  const tensor = Buffer.concat([number(1, type), bytes(2, Buffer.concat(sizes))]);
  return Buffer.concat([text(1, name), bytes(2, bytes(1, tensor))]);
}

function varint(value: number): Buffer {
  const out: number[] = [];
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    out.push((rest % 128) + (rest >= 128 ? 128 : 0));
    if (rest < 128) return Buffer.from(out);
  }
}

function number(field: number, value: number): Buffer {
  return Buffer.concat([varint(field * 8), varint(value)]);
}

function bytes(field: number, value: Buffer): Buffer {
  return Buffer.concat([varint(field * 8 + 2), varint(value.length), value]);
}

function text(field: number, value: string): Buffer {
  return bytes(field, Buffer.from(value));
}
