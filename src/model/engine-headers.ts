/**
 * Headers that frame, route or sign a request, or that open the metadata service of a cloud: they belong to the engine, and neither a setting
 * nor a client's own header may stand in their place. Lower case.
 */
export const ENGINE_HEADERS: ReadonlySet<string> = new Set([
  'accept-encoding',
  'authorization',
  'connection',
  'content-length',
  'cookie',
  'expect',
  'host',
  'keep-alive',
  'metadata',
  'metadata-flavor',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-aws-ec2-metadata-token',
  'x-aws-ec2-metadata-token-ttl-seconds',
  'x-google-metadata-request',
])
