import { CannotSend } from '../../cannot-send.ts'
import { type HttpProtocol, joined } from '../protocol.ts'
import { bedrockConverseDecoder, decodeBedrockConverseAnswer } from './decode.ts'
import { encodeBedrockConverse } from './encode.ts'
import { signBedrockConverse } from './sign.ts'

/**
 * Bedrock Converse. The base address is `https://bedrock-runtime.REGION.amazonaws.com`. A model is named by id, inference profile or ARN;
 * the slashes and colons of one are a part of its name, not of the path.
 */
export const bedrockConverse: HttpProtocol = {
  api: 'bedrock-converse',
  address: (endpoint, { model, mode }) => joined(endpoint, `/model/${segmentOf(model)}/${mode === 'stream' ? 'converse-stream' : 'converse'}`),
  encode: encodeBedrockConverse,
  streamType: 'application/vnd.amazon.eventstream',
  headers: {},
  sign: signBedrockConverse,
  decoder: bedrockConverseDecoder,
  decodeAnswer: decodeBedrockConverseAnswer,
}

/** A name of dots alone would be a step up the path, and no address can say it otherwise. */
function segmentOf(model: string): string {
  if (model === '.' || model === '..') throw new CannotSend(`a model named \`${model}\` has no address: name the id or the ARN of one`)
  return encodeURIComponent(model)
}
