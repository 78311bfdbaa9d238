/** Gives requests a span of Envoy's own, as `ownTraceparent` does: Envoy's tracers do so behind the filters, where no picker sees it. */
const SOURCE = `
local function hex(digits)
  local text = ""
  for _ = 1, digits / 4 do text = text .. string.format("%04x", math.random(0, 65535)) end
  return text
end
math.randomseed(os.time())
function envoy_on_request(handle)
  local headers = handle:headers()
  local trace, flags = string.match(headers:get("traceparent") or "", "^00%-(%x+)%-%x+%-(%x%x)$")
  local own = "00-" .. (trace or hex(32)) .. "-" .. hex(16) .. "-" .. (flags or "01")
  headers:replace("traceparent", own)
  handle:streamInfo():dynamicMetadata():set("own", "traceparent", own)
end
`;

/** What the access log knows the span by: a picker puts one of its own in the header. */
export const OWN_TRACEPARENT = '%DYNAMIC_METADATA(own:traceparent)%';

/** An HTTP filter, to stand before those of the pickers. */
export const TRACE_FILTER = {
  name: 'envoy.filters.http.lua',
  typed_config: {
    '@type': 'type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua',
    default_source_code: { inline_string: SOURCE },
  },
} as const;
