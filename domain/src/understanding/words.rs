//! The words by which rules tell how a message is meant, the same for all pipelines. For their form see [`says`](crate::says::says).

pub(super) const GO_ON: &str = "接着写|接着做|finish the rest|继续|接着|往下做|往下|重试|再试一次|再试一下|再试试|continue|go on|carry on|keep going|resume|retry|try again|go ahead";
pub(super) const STOPPED: &str = "断网|掉线|网断|cut off|卡住|失败|断了|停了|没做完|中断|中止|出错|报错|errored*|an error|stopped|stuck|failed|crash*|halfway|broke off|interrupted|hung";

pub(super) const UNDO: &str = "撤销|撤回|退回去|退回到|退回上|还原|恢复到|恢复成|恢复上|上一版|上个版本|上一个版本|前一版|前一个版本|改之前那版|修改前的|\
    改回去|改回来|变回|回到上|回到之前|回到原来|之前那版|原来那版|undo|revert|roll back|roll it back|put it back|go back to|previous version|\
    earlier version|version before|last version|the way it was|as it was before|how it was before|change it back|restore";

/// Chinese words of a question.
pub(super) const ASKED_ZH: &str = "几页|几张|几章|几节|几个|几条|几段|多少|为什么|为啥|是啥|画的是|有没有讲|有没有提|有没有说|讲了什么|讲的什么|讲的是什么|\
    说了什么|写了什么|哪些|哪几|哪个文件|哪里来|哪张表|哪来的|来源是|用了多久|花了多久|花了多少|怎么没有|怎么没|依据是什么|是什么来着|什么来着|讲的啥|怎么算|怎么来的|怎么得出|是实拍|画的还是|靠谱吗|靠不靠谱|出处是|从哪|哪儿来|拍的还是|\
    说的啥|写的啥|多久|有提到|提到过";
/// Words that make a message a question, whatever else it says.
pub(super) const ASKED_SURELY: &str = "改了些什么|改了什么|改了哪|动了哪|你打了哪|用了哪|what did you change|what has changed|what's changed";
/// Words of a request, even if it has the form of a question.
pub(super) const REQUESTS_ZH: &str = "改|换|删|去掉|能不能|可不可以|能否|请|帮我|重做|重写|补|翻译|压|缩|统一|加上|增加|多加|再加|加个|加一|做成|写成|写进|\
    调|放大|放到|不要|别|查一下|问一句|抛一个|写清楚|讲清楚|说清楚|写明|注明|讲明";

pub(super) const OPENINGS: &str =
    "roughly|ok|okay|so|and|hey|hi|hmm|also|well|btw|quick question|just wondering|thanks";
pub(super) const ASKED_EN: &str = "how many|how much|how long|how did|how does|what|what's|whats|which|why|where|who|when|does it|does the|do we|is there|are there|\
    is it|did you|did it|did that|have you|has it|remind me|can you tell me|could you tell me|tell me|do you know";
pub(super) const SUGGESTS_EN: &str = "how about|what about|what if|why don't|why not|any way to|is it possible|would it be possible|what i want|what i need|what we need|\
    can you do|can you make|can you change|could you change|could you make|how about";

/// Words that ask for another product, or for another subject.
pub(super) const NEW_TOPIC: &str = "来一套新的|来一份新的|来一篇新的|换一个，做|换一个,做|换一个，讲|换一个,讲|换一个，写|换一个,写|换个话题|换一个话题|换个主题：|换个主题:|换个主题，讲|换个主题,讲|换个主题，做|换个课题|换个选题|換個選題|换题目|换个题目|新主题|新课题|新话题|\
    重新开始|另起一|另起炉灶|topic 换成|topic换成|new topic|different topic|different subject|another topic|another subject|next topic|something different|\
    something else entirely|start over|from scratch|next up|instead of this one|the same kind of thing for|same kind of thing for|the same thing for|\
    new post|new deck|new course|new report|new lesson|new presentation|separate report|separate deck|separate post|one more post|one more deck|one more report|\
    one more course|another deck|another presentation|another course|another lesson|another post|another report|other topic";

/// Words that ask for one more product, if they do not refer to a part of it.
pub(super) const ANOTHER: &str = "另外还想|还想讲|还想做|再来一套|再来一份|再来一篇|再来一个|再做一份|再做一个|再做一套|再做个|再写一篇|再写一份|再写一个|再写篇|再出一|再弄一|再生成一|另外来一|另外做|另外再|\
    另外写|下一份|下一篇|重新来一套|也想要一份|也要一份|还需要一个|还需要一份|还要一份|还要一个|这个先放着|想发一篇|想发个|another one|\
    now do one|now one on|now one about|now write one|now make one|write one about|do one on|do one about|make one on|make one about|want one on|want one about|\
    need one on|need one about|one on|also need a|also want a|write something on|write something about";

/// Verbs that make a product.
pub(super) const MAKE: &str = "做一份|做一个|做一套|做一节|做个|做份|做套|生成一|制作一|制作个|写一份|写一个|写一篇|写个|写篇|弄个|弄一|整一|整个|搞个|搞一|出一份|出一套|来一份|来一个|来一篇|\
    来个|来篇|帮我做|帮我写|帮我生成|帮我弄|帮忙做|帮忙弄|给我做|给我写|要一份|想要一|需要一份|需要一个|make a|make me a|make us a|make an|create a|create an|build a|\
    generate a|generate an|prepare a|prepare an|write a|write me a|write an|draft a|do a|do me a|give me a|need a|need an|need some|need slides|want a|want some|have a|\
    need a few|put together";

/// Words that are followed by a subject.
pub(super) const ABOUT: &str = "关于|讲|介绍|主题是|主题为|主题：|题目是|写的是|about|on the topic|on the subject|explaining|introducing|covering";

/// Words for parts of a product: to ask for one more of these is a change.
pub(super) const PARTS_ANEW: &str = "一页|一章|一节内容|一节课堂|一张图|一段|一句|一个例子|一个案例|一个小测|小测验|一个标题|一个结尾|一个开头|一个封面|一个表|一张表|一个图|一条|加一|加个|\
    增加|新增|add a|add an|add one|one more page|one more slide|one more chapter|one more section|one more picture|a slide|a page|a chapter|a section|a picture|a photo|\
    a chart|a table|a quiz|a summary|a title|a shorter|a better|a new title|a new cover|a new picture|a white|a list|a paragraph|a sentence|a question|an example|\
    a bit|a little|a few more|an analogy|an actual|a warmer|a cleaner";

/// Words with which people first say who they are.
pub(super) const FRAMES: &str = "我是|我教|我们是|我们公司|我开|我在|我想做|老板让我|领导让|i'm a|i am a|im a|i teach|i run|i manage|i'm giving|i am giving|i work|i have a|my boss wants|\
    my colleague|our village|we are|we're a";
pub(super) const FRAMES_WITHIN: &str =
    "也想要一份|想要一份|要交|the trustees want|need slides|need a few funny";
pub(super) const WANT: &str = "想要|想讲|想发|想做|要一份|需要|要讲|要交|帮我|want*|need*|would like|looking for|for thursday";
/// Words that refer to what was already made.
pub(super) const THIS_ONE: &str = "这份|这个课件|这套|这篇|这是|现在这|this deck|this course|this post|this report|the deck|the post|the report|it to|it's|is for";

pub(super) const NO_LONGER_ZH: &str = "不要|不写|不讲|不做|不说|不聊|别写|别讲";
pub(super) const DO_ZH: &str = "讲|写|做|来|聊|说|换成|改讲|改写|改做";
pub(super) const NO_LONGER_EN: &str = "forget|scrap|drop|never mind|leave|ditch|skip";
pub(super) const DO_EN: &str =
    "do |let's do|lets do|let us do|i want|i need|make |write |now |instead";

/// Words of a change.
pub(super) const CHANGES: &str = "go for|the whole thing|in dark mode|arrange|改|修改|调整|优化|换|重做|重写|重新|不要|不用|不够|更|增加|减少|加上|加入|去除|删|去掉|拿掉|砍|保留|合并|拆分|拆成|突出|侧重|重点讲|重点放|着重|就好|就够|就行|即可|压缩|压到|扩展|扩充|缩|减到|\
    加到|多加|展开|控制在|精简|简化|补充|加个|加点|加一|再加|多说|少说|多讲|少讲|放大|放到|放在|挪|移|调换|对调|互换|换成|变成|设为|做成|写成|统一|翻译|翻成|译成|配张|配上|留白|\
    留点|只要|只用|只留|别用|别像|别|要有|写进|查一下|核对|更正|改正|一点|一些|一下|点儿|能不能|能否|可不可以|希望|chang*|make it|make them|make the|make every|make each|\
    more|less|fewer|add*|remov*|delet*|drop|cut|improve|better|redo|again|updat*|fix*|instead|adjust*|tweak*|refine|without|keep|use|put|show|move|merge|split|expand|swap*|\
    switch*|replac*|rewrit*|rephras*|reword*|translat*|shorten|shorter|longer|simplif*|simpler|condense|reorder|turn|turned|brighten|lighten|darken|enlarge|bigger|smaller|\
    larger|give|lose|throw in|sprinkle|should|shouldn't|could|can it|needs|get rid|aim it|max|version please|please,|throughout|everywhere|catchier|no longer|back up|pls|shoot|will do|tops";
/// Words of a judgement.
pub(super) const JUDGEMENTS: &str = "不是写给|听众不是|受众不是|读者不是|其实是|而不是|look so|look too|fake|squashed|cramped|太|有点|有些|不清|不好|不对|不行|不满意|不喜欢|没有|缺少|错了|写错|画反|有误|难看|好看|感觉|觉得|整体|看腻|看着|读起来|幼稚|闷|单调|丑|too|wrong|boring|ugly|\
    misspell*|typo*|looks|look like|reads like|hard to read|nearly identical|don't like|not happy|dull|dense|crowded|childish|outdated|incorrect|blurred|blurry|unclear|vague|\
    terrible|bland|isn't|aren't|bad";
/// Judgements that do not say what is wrong.
pub(super) const COMPLAINTS: &str = "还是不太满意|不太满意|不是很满意|不满意|不太喜欢|不喜欢|不太好|不太行|不太对|不好|不行|不对|很差|太差了|太差|太烂了|太烂|很烂|差劲|一般般|很一般|\
    don't really like|don't like|do not like|dislike|hate|not happy with|not happy|not satisfied|unhappy|not good|not great|not what i wanted|not what i want|isn't good|\
    isn't right|isn't great|not right|terrible|bad|awful|not sure about";
/// Words that may stand around such judgements.
pub(super) const AROUND_COMPLAINTS: &str = "感觉|觉得|整体|我|还是|这个|这份|这套|这篇|这是|这里|整套|整篇|全部|所有|i'm|im|i|am|still|is|really|very|sorry|hmm|no|it|its|it's|this|these|those|\
    them|everything|all of";
/// Words that refer to what was already made.
pub(super) const THIS: &str = "这个|这份|这套|这篇|这页|这是|这里|整套|整篇|全部|所有|通篇|里面|现在这|it|its|it's|this|these|those|them|everything|all of|the text|the title|the cover";

/// Each traditional character before its simplified form.
pub(super) const TRADITIONAL: &str = "圖图張张頁页換换個个題题標标點点調调這这裡里為为麼么講讲說说議议開开會会問问嗎吗種种時时間间準准願愿覺觉應应該该關关於于從从將将樣样節节務务結结論论優优寫写對对錯错圓圆\
    長长難难簡简單单複复雜杂選选課课學学師师構构內内報报導导據据場场續续試试銷销還还復复過过無无沒没動动畫画體体顏颜藍蓝綠绿紅红黃黄風风專专業业刪删減减縮缩壓压擴扩補补測测\
    驗验練练習习聲声語语氣气譯译漢汉級级兒儿謝谢歡欢請请幫帮讓让給给與与後后頭头變变佈布處处條条數数幾几";

/// A clause with one of these words is about what is to stay as it is.
pub(super) const STAYS: &str = "挺好|很好|都好|不错|没问题|保留|留着|还行|不变|同样的内容|keep|love the|like the content|is fine|are fine|it's decent|looks great|as they are|same look|same message";
pub(super) const CLAUSES: &str =
    "，|,|。|；|;|. |！|!|\n|不过|但是|但|就是|只是|只把| but |, only | though ";

/// Subjects that contain a word of a change.
pub(super) const SUBJECTS: &str = "太阳|太空|太平洋|太极|改革开放|改革|改良|改造|改变世界|交换|换算|换元|转换|变换|变化|更年期|换季|置换|climate change|phase change|social change|change management|change blindness|\
    exchange|changing careers|改编|删繁就简|重建|更新换代|supply chain";

pub(super) const FILLERS: &str = "嗯|来|请|麻烦|帮我|吧|了|的|呢|呀|啊|嘛|一下|好像|刚才|刚刚|那就|就|做|生成|再|也|还|页|张|份|please|pls|plz|just|it|the|a|an|to|seems|have|for|me|with|from|there|now|of|\
    and|on|in|then|that|pages|page|slides|slide";
pub(super) const TALK: &str = "请多关照|多多关照|有人吗|有人在吗|第一次用这个|thx|thanx|this is exactly what i was after|exactly what i wanted|just what i needed|牛啊|牛哇|太牛|兄弟|sup|phew|lovely|yo|哥们|谢啦|谢了|你都能做些什么|你是真人吗|oh|so|你好|您好|大家好|哈喽|嗨|早上好|上午好|中午好|下午好|晚上好|早安|晚安|早啊|谢谢|多谢|感谢|辛苦了|辛苦啦|辛苦|再见|拜拜|在吗|在么|在不在|你是谁|你是机器人吗|你叫什么名字|你叫什么|\
    你能做什么|你会什么|你会做什么|你可以做什么|讲个笑话|说个笑话|吃了吗|天气怎么样|天气如何|今天|明天|很好|不错|太棒了|太棒|真棒|好的|收到|知道了|哈哈哈|哈哈|测试一下|第一次用|绝了|爱了爱了|爱了|\
    厉害了|厉害|佩服佩服|佩服|哇塞|没想到这么快|完美|满意|how are you doing|how are you|how's it going|what's up|who are you|what can you do|what is your name|what's your name|\
    tell me a joke|good morning|good afternoon|good evening|good night|how is the weather|what's the weather like|what's the weather|thank you|thanks|hello|hey|hi there|hiya|hi|goodbye|bye|\
    great|nice to meet you|nice|cool|awesome|okay|ok|yes|no|lol|haha|testing|test|123|there|today|very much|so much|a lot|that's|brilliant|cheers|mate|much appreciated|have a good weekend|have a nice day|\
    wow|omg|love it|perfect|you there|well done|good job|just looking around|what a nice site|nice site|nice work|ugh|mondays|excellent|amazing";
pub(super) const PARTICLES: &str =
    "呀|啊|吗|呢|吧|哦|哟|嘿|诶|了|的|你|您|我|很|非常|真|啦|也|都|会写|写";
/// Words of messages about other things, or about how good something is.
pub(super) const CHAT: &str = "肯定喜欢|一定喜欢|会喜欢的|you saved|thrilled|hungry|told me about you|poking around|looking around|救了我|笑死|哈哈|挺懂|爱了|绝了|佩服|厉害|下雨|天气|周一|难熬|心情|唉|周末|raining|weather|monday*|weekend|typical|ugh|weird day|tired today|lunch|birthday";
/// The same where nothing was made yet. The list is shorter, since the weather may be the subject of a request.
pub(super) const CHAT_AT_FIRST: &str = "told me about you|poking around|looking around|saved my|hungry|心情|唉|下雨了|难熬|raining|ugh|tired today";
/// Words before the subject that is to replace the present one, unless a look follows.
pub(super) const TOPIC_BECOMES: &str = "主题换成|主题换为|主题改成|主题改为|话题换成|话题改成|课题换成|课题改成|题目换成|题目改成|选题换成|change the topic to|change topic to|\
    switch the topic to|switch to the topic";
pub(super) const ALL_IS_WELL: &str = "不用改|不用再改|没什么要改|不需要改|就这样吧|no changes needed|no changes|nothing to add|nothing to change|好喜欢|真喜欢|太喜欢|leave it as it is|you nailed it|it's perfect";
