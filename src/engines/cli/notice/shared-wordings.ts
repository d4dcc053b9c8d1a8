import type { Wording } from './wording.ts'

/**
 * What runtimes and APIs say whichever CLI passes it on (cli-engines.md §8). The runtimes are Node and undici (gemini), Bun (claude),
 * Rust (codex) and Go (agy), but a gateway or a tool brings in any of them, so that every CLI reads all.
 */
export const SHARED_WORDINGS: readonly Wording[] = [
  { kind: 'spend', pattern: /^(?:your )?credit balance (?:is )?too low/i, source: 'Anthropic API' },
  { kind: 'spend', pattern: /^insufficient (?:credits|balance|funds)\b/i, source: 'OpenAI-compatible gateways' },
  {
    kind: 'spend',
    pattern: /^(?:[\w-]{1,20} ){0,3}spend(?:ing)? (?:cap|limit) (?:has been )?(?:reached|exceeded)/i,
    source: 'Google, OpenAI budgets',
  },
  {
    kind: 'spend',
    pattern: /^(?:your|this|the) (?:[\w-]{1,20} ){1,3}has (?:exceeded|reached|hit) (?:its|your|the) (?:[\w-]{1,20} )?spend(?:ing)? (?:cap|limit)\b/i,
    source: 'Gemini API billing',
  },
  { kind: 'spend', pattern: /^This (?:API|service|(?:API )?method) requires billing to be enabled\b/i, source: 'Google API' },
  { kind: 'spend', pattern: /\bBILLING_DISABLED\b/, anywhere: true, source: 'google.api.ErrorReason' },
  // z.ai behind any CLI (code 1308, 1310).
  { kind: 'limit', pattern: /^usage limit reached\b/i, source: 'z.ai 1308, gemini-cli 22643' },
  { kind: 'limit', pattern: /^[\w/]{1,20} limit exhausted\b/i, source: 'z.ai 1310' },
  { kind: 'limit', pattern: /^the usage limit has been reached/i, source: 'earendil-works/pi 4172' },
  { kind: 'auth', pattern: /^(?:incorrect|invalid|missing) (?:api key|access token|authentication|bearer)/i, source: 'OpenAI API' },
  { kind: 'auth', pattern: /^(?:provided )?(?:authentication|login) (?:is )?(?:required|failed|expired)/i, source: 'common' },
  { kind: 'auth', pattern: /^API key (?:not valid|expired|invalid|not found)/i, source: 'Google API' },
  {
    kind: 'auth',
    pattern: /^(?:Request had (?:invalid authentication credentials|insufficient authentication scopes)|The caller does not have permission)\b/i,
    source: 'recorded gemini-401, google.rpc.Status',
  },
  { kind: 'auth', pattern: /^not (?:logged|signed) in\b/i, source: 'recorded claude-success-noauth' },
  {
    kind: 'model',
    pattern: /^(?:the )?(?:requested )?model [`'"]?[\w.:/-]{1,100}[`'"]? (?:does not exist|is not (?:found|available|supported))/i,
    source: 'OpenAI API',
  },
  { kind: 'model', pattern: /^models\/[\w.-]{1,100} is not found/i, source: 'recorded gemini-404_model' },
  { kind: 'model', pattern: /^(?:invalid|unknown) model\b/i, source: 'common' },
  {
    kind: 'overloaded',
    pattern: /^(?:the )?(?:selected )?model is (?:currently )?(?:overloaded|at capacity)/i,
    source: 'recorded gemini-503, codex-503_overloaded',
  },
  { kind: 'overloaded', pattern: /^overloaded\b(?: error)?(?=$|[.:· (])/i, source: 'recorded claude-sse_overloaded_mid' },
  { kind: 'overloaded', pattern: /\boverloaded_error\b/i, anywhere: true, source: 'Anthropic API' },
  { kind: 'overloaded', pattern: /\bexperiencing high (?:demand|load|traffic)\b/i, anywhere: true, source: 'recorded codex-500' },
  { kind: 'throttle', pattern: /^rate limit (?:reached|exceeded)\b/i, rate: true, source: 'recorded codex-sse_rate_limit' },
  { kind: 'throttle', pattern: /\brate_limit_error\b/i, anywhere: true, rate: true, source: 'Anthropic API' },
  { kind: 'throttle', pattern: /\btoo many requests\b/i, anywhere: true, rate: true, source: 'RFC 6585' },
  { kind: 'network', pattern: /^(?:connect|getaddrinfo|read|write) E[A-Z_]{3,20}\b/, source: 'Node' },
  {
    kind: 'network',
    pattern:
      /\b(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ECONNABORTED|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EPIPE|UND_ERR_[A-Z_]{3,40})\b/,
    anywhere: true,
    source: 'Node, undici',
  },
  {
    kind: 'network',
    pattern: /^(?:TypeError: )?(?:fetch failed|terminated|socket hang up|premature close)\b/i,
    source: 'undici, recorded gemini-reset_mid',
  },
  { kind: 'network', pattern: /\b(?:fetch failed|socket hang up)\b/i, anywhere: true, source: 'undici, recorded gemini-dns' },
  { kind: 'network', pattern: /^client network socket disconnected before secure TLS/i, source: 'Node' },
  { kind: 'network', pattern: /\bsocket disconnected before secure TLS\b/i, anywhere: true, source: 'Node' },
  {
    kind: 'network',
    pattern: /\b(?:ConnectionRefused|FailedToOpenSocket|ConnectionClosed)\b/,
    anywhere: true,
    source: 'Bun, recorded claude-refused',
  },
  {
    kind: 'network',
    pattern: /^(?:connection (?:error|refused|reset|closed|failed|timed out|aborted)|connection to the API was lost)/i,
    source: 'Bun, Rust, Anthropic SDK',
  },
  { kind: 'network', pattern: /^(?:the )?socket connection was closed unexpectedly\b/i, source: 'Bun, claude-code 2.1 binary' },
  { kind: 'network', pattern: /\bthe socket connection was closed unexpectedly\b/i, anywhere: true, source: 'Bun' },
  {
    kind: 'network',
    pattern: /\b(?:connection refused|connection reset by peer|broken pipe|network is unreachable|no route to host)\b/i,
    anywhere: true,
    source: 'POSIX',
  },
  {
    kind: 'network',
    pattern:
      /\b(?:self[- ]signed certificate|(?:unable to (?:verify|get)[\w ]{1,20}|unknown |expired |verify |x509: )certificate|certificate has expired|CERT_[A-Z_]{3,40}|[A-Z_]{3,40}_CERT(?:IFICATE)?[A-Z_]{0,40}|UNABLE_TO_(?:GET|VERIFY)_[A-Z_]{3,40})\b/,
    anywhere: true,
    source: 'OpenSSL, BoringSSL, Go',
  },
  { kind: 'network', pattern: /\berror sending request\b/i, anywhere: true, source: 'Rust, recorded codex-refused-long' },
  { kind: 'network', pattern: /^stream disconnected before completion\b/i, source: 'recorded codex-truncated' },
  {
    kind: 'network',
    pattern: /\b(?:dns error|tcp connect error|idle timeout waiting for SSE|waiting for network)\b/i,
    anywhere: true,
    source: 'Rust, recorded codex-hang_mid',
  },
  {
    kind: 'network',
    pattern: /\b(?:no such host|server misbehaving|i\/o timeout|TLS handshake timeout|unexpected EOF)\b/i,
    anywhere: true,
    source: 'Go',
  },
  { kind: 'network', pattern: /\bdial (?:tcp|udp)\b/i, anywhere: true, source: 'Go' },
  { kind: 'network', pattern: /\b(?:connectex|wsarecv|wsasend): /i, anywhere: true, source: 'Go on Windows' },
  {
    kind: 'network',
    pattern: /\b(?:Client\.Timeout exceeded|request canceled while waiting for connection)\b/,
    anywhere: true,
    source: 'Go net/http',
  },
  { kind: 'network', pattern: /: EOF$/, anywhere: true, source: 'Go' },
  { kind: 'network', pattern: /^(?:the )?(?:request|connection|operation) timed out\b/i, source: 'recorded claude-hang' },
  { kind: 'server', pattern: /^(?:internal server error|bad gateway|service unavailable|gateway time-?out)\b/i, source: 'RFC 9110' },
  { kind: 'server', pattern: /^an internal error has occurred\b/i, source: 'recorded gemini-500' },
]
