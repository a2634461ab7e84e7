/**
 * The words of messages of Helm, of Go's templates, and of the libraries behind both, in lower case. A word that is not in a message is not
 * here: it may be a value that a template changed.
 */
export const KNOWN_WORDS: ReadonlySet<string> = new Set(
  `a accessing action additional after against alias aliasing allof allowed alphabetic already an anchor and another any anyof apiversion
  application are arg args argument arguments array as assign assignment associated at attempted available bad base64 be before begin
  beginning binary block bool boolean both break build but by byte call calling can cannot capabilities cause chan channel character
  characters chart charts clause clone closing code collection command comment comparable comparison compatible compile complex conform
  const constant constraint contain contains content contentschema context continue control conversion convert converting correct
  corrupted could cycle data date dates decimal declarations decode decoding default define defined definition delimiter dependencies
  dependency depth dereference details dict did digit digits directive directory disallowed divide division document documents does don
  double draft duplicate each either element elements else embedded empty encoded encountered end ends entries entry enum eof equal error
  errors escape escaped evaluate evaluating evaluation event exceeded excessive exclusivemaximum exclusiveminimum executable execute
  executing execution exist exists expected expecting explicit exponent expression extension extensions extremely failed failing false
  field fields file files find float float64 flow folded followed following for format found from func function functions give go got
  gotpl handle happen has have helm hexadecimal hexdecimal identifier if illegal immediately implicit improper in include incompatible
  incomplete incorrect increasing indent indentation index indicate indicator indirection initialize input insufficient int int64 integer
  interface internal into invalid invoked irregular is it item items iterate its itself json key keys kind kubernetes kubeversion large
  last leading least left len length less level library line list literal load loading long looking low malformed many map mapping maps
  match matched matches max maximum maxitems maxlength maxproperties may mediatype meet merge metadata metaschema method min minimum
  minitems minlength minproperties mismatch missing mode more multiple multipleof must name named nan negative nested next nil no node
  nodes non none not nothing null number numeric object octet of offset on one oneof only open operand operator opposed or order out
  output outside over overflow overflows pair parameter parse parser parsing part past path pattern pipeline plain point pointer position
  possible print problem problems processing properties property propertyname quoted range raw reach read reading rebuild redacted
  reference referenced reflect regexp release rendering required requirements requires resolve result results return returned right root
  scalar scan scanner scanning schema schemas second semantic send sequence set should signature simple single size slice spaces spec
  specifications stage start started starting starts step stream strictly string strings struct subschemas such supported surrogate
  syntax tab table tag tags tail template templates term text than that the these they this through time to token too top trailing
  transforming true try trying tstring type types unable unclosed undefined unexpected unexported unicode unknown unmarshal unpacking
  unquoted unrecognized unsigned unstructured unsupported unterminated untyped use used uses valid validate validation value values
  variable variables version violates vocabulary want wants when where which while whitespace with within without word wrong yaml yet yml
  zero`.split(/\s+/),
);
