/* SPDX-License-Identifier: MIT
 *
 * See plain_table.h: the rows of packages that are not Python's own. Each module of theirs that is
 * plain has a row of its own, because what a module has imported is an attribute of it too
 * (pyplot.np). Left out: what loads or runs something, takes raw memory as objects, or looks names up.
 */
#include "base/scope.h"
#include "flow/plain_table.h"

const struct plain_row plain_packages[] = {
	{"matplotlib", PLAIN_DATA,
	 "__version__ animation artist axes cm collections color_sequences colorbar "
	 "colormaps colors container contour cycler dates figure font_manager get_backend "
	 "get_cachedir get_configdir get_data_path gridspec image interactive "
	 "is_interactive legend legend_handler lines markers offsetbox patches path "
	 "patheffects pyplot rcParams rcdefaults sankey scale set_loglevel spines style "
	 "table text ticker transforms tri widgets",
	 NULL, "use"},
	{"matplotlib.rcParams matplotlib.pyplot.rcParams", PLAIN_OBJECT, "copy get items keys",
	 NULL, "update"},
	{"matplotlib.pyplot", PLAIN_DATA,
	 "Annotation Arrow Artist AutoLocator Axes Button Circle Figure FigureBase "
	 "FixedFormatter FixedLocator FormatStrFormatter Formatter FuncFormatter GridSpec "
	 "IndexLocator Line2D LinearLocator Locator LogFormatter LogFormatterExponent "
	 "LogFormatterMathtext LogLocator MaxNLocator MouseButton MultipleLocator "
	 "Normalize NullFormatter NullLocator PolarAxes Polygon Rectangle ScalarFormatter "
	 "Slider Subplot SubplotSpec Text Widget acorr angle_spectrum annotate arrow "
	 "autoscale autumn axes axhline axhspan axis axline axvline axvspan bar bar_label "
	 "barbs barh bone box boxplot broken_barh cla clabel clf clim close cm cohere "
	 "color_sequences colorbar colormaps colors contour contourf cool copper csd "
	 "cycler delaxes draw draw_all draw_if_interactive ecdf errorbar eventplot "
	 "figaspect figimage figlegend fignum_exists figtext figure fill fill_between "
	 "fill_betweenx findobj flag gca gcf gci get get_backend get_cmap "
	 "get_current_fig_manager get_figlabels get_fignums get_scale_names getp gray grid "
	 "grouped_bar hexbin hist hist2d hlines hot hsv imread imsave imshow inferno "
	 "interactive ioff ion isinteractive jet legend locator_params loglog magma "
	 "magnitude_spectrum margins matshow minorticks_off minorticks_on nipy_spectral "
	 "pause pcolor pcolormesh phase_spectrum pie pink plasma plot plot_date polar "
	 "prism psd quiver quiverkey rcParams rcdefaults rgrids savefig sca scatter sci "
	 "semilogx semilogy set_cmap set_loglevel setp show specgram spring spy stackplot "
	 "stairs stem step streamplot style subplot subplot2grid subplot_mosaic subplots "
	 "subplots_adjust summer suptitle table text thetagrids tick_params "
	 "ticklabel_format tight_layout title tricontour tricontourf tripcolor triplot "
	 "twinx twiny violinplot viridis vlines winter xcorr xkcd xlabel xlim xscale "
	 "xticks ylabel ylim yscale yticks",
	 NULL, "switch_backend"},
	{"matplotlib.style matplotlib.pyplot.style", PLAIN_DATA, "available library", NULL,
	 "context use"},
	{"matplotlib.animation", PLAIN_DATA,
	 "ArtistAnimation FuncAnimation HTMLWriter PillowWriter", NULL, NULL},
	{"matplotlib.artist", PLAIN_DATA, "Artist getp setp", NULL, NULL},
	{"matplotlib.axes", PLAIN_DATA, "Axes Subplot SubplotBase", NULL, NULL},
	{"matplotlib.cm matplotlib.pyplot.cm", PLAIN_DATA,
	 "Accent* Blues* BrBG* BuGn* BuPu* CMRmap* Dark2* GnBu* Greens* Greys* OrRd* "
	 "Oranges* PRGn* Paired* Pastel1* Pastel2* PiYG* PuBu* PuBuGn* PuOr* PuRd* "
	 "Purples* RdBu* RdGy* RdPu* RdYlBu* RdYlGn* Reds* ScalarMappable Set1* Set2* "
	 "Set3* Spectral* Wistia* YlGn* YlGnBu* YlOrBr* YlOrRd* afmhot* autumn* binary* "
	 "bone* brg* bwr* cividis* cool* coolwarm* copper* cubehelix* flag* get_cmap "
	 "gist_earth* gist_gray* gist_heat* gist_ncar* gist_rainbow* gist_stern* "
	 "gist_yarg* gnuplot* gnuplot2* gray* hot* hsv* inferno* jet* magma* "
	 "nipy_spectral* ocean* pink* plasma* prism* rainbow* seismic* spring* summer* "
	 "tab10* tab20* tab20b* tab20c* terrain* turbo* twilight* twilight_shifted* "
	 "viridis* winter*",
	 NULL, NULL},
	{"matplotlib.collections", PLAIN_DATA,
	 "AsteriskPolygonCollection BrokenBarHCollection CircleCollection Collection "
	 "EllipseCollection EventCollection LineCollection PatchCollection PathCollection "
	 "PolyCollection QuadMesh RegularPolyCollection StarPolygonCollection TriMesh",
	 NULL, NULL},
	{"matplotlib.colorbar", PLAIN_DATA, "Colorbar ColorbarBase make_axes make_axes_gridspec",
	 NULL, NULL},
	{"matplotlib.colors matplotlib.cm.colors matplotlib.pyplot.colors", PLAIN_DATA,
	 "AsinhNorm BASE_COLORS BoundaryNorm CSS4_COLORS CenteredNorm ColorConverter "
	 "ColorSequenceRegistry Colormap FuncNorm LightSource LinearSegmentedColormap "
	 "ListedColormap LogNorm NoNorm Normalize PowerNorm SymLogNorm TABLEAU_COLORS "
	 "TwoSlopeNorm XKCD_COLORS cnames colorConverter from_levels_and_colors "
	 "get_named_colors_mapping hex2color hsv_to_rgb is_color_like make_norm_from_scale "
	 "rgb2hex rgb_to_hsv same_color to_hex to_rgb to_rgba to_rgba_array",
	 NULL, NULL},
	{"matplotlib.container", PLAIN_DATA,
	 "BarContainer Container ErrorbarContainer StemContainer", NULL, NULL},
	{"matplotlib.dates", PLAIN_DATA,
	 "AutoDateFormatter AutoDateLocator ConciseDateConverter ConciseDateFormatter "
	 "DAILY DAYS_PER_MONTH DAYS_PER_WEEK DAYS_PER_YEAR DateConverter DateFormatter "
	 "DateLocator DayLocator EPOCH_OFFSET HOURLY HOURS_PER_DAY HourLocator "
	 "JULIAN_OFFSET MICROSECONDLY MINUTELY MINUTES_PER_DAY MIN_PER_HOUR MONTHLY "
	 "MONTHS_PER_YEAR MUSECONDS_PER_DAY MicrosecondLocator MinuteLocator MonthLocator "
	 "RRuleLocator SECONDLY SEC_PER_DAY SEC_PER_HOUR SEC_PER_MIN SEC_PER_WEEK "
	 "SecondLocator UTC WEEKDAYS WEEKLY WeekdayLocator YEARLY YearLocator date2num "
	 "date_ticker_factory datestr2num drange epoch2num get_epoch julian2num num2date "
	 "num2epoch num2julian num2timedelta rrulewrapper set_epoch",
	 NULL, NULL},
	{"matplotlib.figure", PLAIN_DATA, "Figure FigureBase SubFigure SubplotParams figaspect",
	 NULL, NULL},
	{"matplotlib.gridspec", PLAIN_DATA,
	 "GridSpec GridSpecBase GridSpecFromSubplotSpec SubplotSpec", NULL, NULL},
	{"matplotlib.image", PLAIN_DATA,
	 "AxesImage BboxImage FigureImage NonUniformImage PcolorImage composite_images "
	 "imread imsave interpolations_names pil_to_array",
	 NULL, NULL},
	{"matplotlib.legend", PLAIN_DATA, "DraggableLegend Legend", NULL, NULL},
	{"matplotlib.legend_handler", PLAIN_DATA,
	 "HandlerBase HandlerCircleCollection HandlerErrorbar HandlerLine2D "
	 "HandlerLine2DCompound HandlerLineCollection HandlerNpoints "
	 "HandlerNpointsYoffsets HandlerPatch HandlerPathCollection HandlerPolyCollection "
	 "HandlerRegularPolyCollection HandlerStem HandlerStepPatch HandlerTuple "
	 "update_from_first_child",
	 NULL, NULL},
	{"matplotlib.lines", PLAIN_DATA,
	 "Line2D VertexSelector drawStyles fillStyles lineMarkers lineStyles ls_mapper "
	 "ls_mapper_r segment_hits",
	 NULL, NULL},
	{"matplotlib.markers", PLAIN_DATA, "MarkerStyle", NULL, NULL},
	{"matplotlib.offsetbox", PLAIN_DATA,
	 "AnchoredOffsetbox AnchoredText AnnotationBbox AuxTransformBox DEBUG "
	 "DraggableAnnotation DraggableBase DraggableOffsetBox DrawingArea HPacker "
	 "OffsetBox OffsetImage PackerBase PaddedBox TextArea VPacker bbox_artist",
	 NULL, NULL},
	{"matplotlib.patches", PLAIN_DATA,
	 "Annulus Arc Arrow ArrowStyle BoxStyle Circle CirclePolygon ConnectionPatch "
	 "ConnectionStyle Ellipse FancyArrow FancyArrowPatch FancyBboxPatch Patch "
	 "PathPatch Polygon Rectangle RegularPolygon Shadow StepPatch Wedge bbox_artist "
	 "draw_bbox",
	 NULL, NULL},
	{"matplotlib.path", PLAIN_DATA, "Path get_path_collection_extents", NULL, NULL},
	{"matplotlib.patheffects", PLAIN_DATA,
	 "AbstractPathEffect Normal PathEffectRenderer PathPatchEffect SimpleLineShadow "
	 "SimplePatchShadow Stroke TickedStroke withSimplePatchShadow withStroke "
	 "withTickedStroke",
	 NULL, NULL},
	{"matplotlib.scale", PLAIN_DATA,
	 "AsinhScale AsinhTransform FuncScale FuncScaleLog FuncTransform "
	 "InvertedAsinhTransform InvertedLogTransform InvertedSymmetricalLogTransform "
	 "LinearScale LogScale LogTransform LogisticTransform LogitScale LogitTransform "
	 "ScaleBase SymmetricalLogScale SymmetricalLogTransform get_scale_names",
	 NULL, NULL},
	{"matplotlib.table", PLAIN_DATA, "Cell CustomCell Table table", NULL, NULL},
	{"matplotlib.text", PLAIN_DATA, "Annotation OffsetFrom Text get_rotation", NULL, NULL},
	{"matplotlib.contour", PLAIN_DATA, "ContourSet QuadContourSet", NULL, NULL},
	{"matplotlib.sankey", PLAIN_DATA, "Sankey", NULL, NULL},
	{"matplotlib.spines", PLAIN_DATA, "Spine Spines", NULL, NULL},
	{"matplotlib.tri", PLAIN_DATA,
	 "CubicTriInterpolator LinearTriInterpolator TrapezoidMapTriFinder TriAnalyzer "
	 "TriContourSet "
	 "TriFinder TriInterpolator TriRefiner Triangulation UniformTriRefiner",
	 NULL, NULL},
	{"matplotlib.ticker", PLAIN_DATA,
	 "AsinhLocator AutoLocator AutoMinorLocator EngFormatter FixedFormatter "
	 "FixedLocator FormatStrFormatter Formatter FuncFormatter IndexLocator "
	 "LinearLocator Locator LogFormatter LogFormatterExponent LogFormatterMathtext "
	 "LogFormatterSciNotation LogLocator LogitFormatter LogitLocator MaxNLocator "
	 "MultipleLocator NullFormatter NullLocator PercentFormatter ScalarFormatter "
	 "StrMethodFormatter SymmetricalLogLocator TickHelper is_close_to_int is_decade "
	 "scale_range",
	 NULL, NULL},
	{"matplotlib.transforms", PLAIN_DATA,
	 "Affine2D Affine2DBase AffineBase AffineDeltaTransform Bbox BboxBase "
	 "BboxTransform BboxTransformFrom BboxTransformTo BboxTransformToMaxOnly "
	 "BlendedAffine2D BlendedGenericTransform CompositeAffine2D "
	 "CompositeGenericTransform DEBUG IdentityTransform LockableBbox ScaledTranslation "
	 "Transform TransformNode TransformWrapper TransformedBbox TransformedPatchPath "
	 "TransformedPath blended_transform_factory composite_transform_factory "
	 "interval_contains interval_contains_open nonsingular offset_copy",
	 NULL, NULL},
	{"matplotlib.widgets", PLAIN_DATA,
	 "AxesWidget Button CheckButtons Cursor EllipseSelector Lasso LassoSelector "
	 "LockDraw MultiCursor PolygonSelector RadioButtons RangeSlider RectangleSelector "
	 "Slider SliderBase SpanSelector SubplotTool TextBox ToolHandles ToolLineHandles "
	 "Widget",
	 NULL, NULL},
	{"matplotlib.font_manager", PLAIN_DATA,
	 "FontProperties findSystemFonts findfont fontManager get_font_names", NULL, NULL},
	{"numpy", PLAIN_DATA,
	 "AxisError ComplexWarning False_ Inf Infinity NAN NINF NZERO NaN PINF PZERO "
	 "RankWarning ScalarType True_ VisibleDeprecationWarning __version__ abs absolute "
	 "acos acosh add all allclose alltrue amax amin angle any append apply_along_axis "
	 "apply_over_axes arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh "
	 "argmax argmin argpartition argsort argwhere around array array2string "
	 "array_equal array_equiv array_repr array_split array_str asanyarray asarray "
	 "asarray_chkfinite ascontiguousarray asfarray asfortranarray asin asinh asmatrix "
	 "astype atan atan2 atanh atleast_1d atleast_2d atleast_3d average bartlett "
	 "base_repr binary_repr bincount bitwise_and bitwise_count bitwise_invert "
	 "bitwise_left_shift bitwise_not bitwise_or bitwise_right_shift bitwise_xor "
	 "blackman block bool bool_ broadcast broadcast_arrays broadcast_shapes "
	 "broadcast_to busday_count busday_offset busdaycalendar byte bytes_ c_ can_cast "
	 "cbrt cdouble ceil cfloat char character choose clip clongdouble clongfloat "
	 "column_stack common_type complex complex128 complex256 complex64 complex_ "
	 "complexfloating compress concat concatenate conj conjugate convolve copy "
	 "copysign copyto corrcoef correlate cos cosh count_nonzero cov cross csingle "
	 "cumprod cumproduct cumsum cumulative_prod cumulative_sum datetime64 "
	 "datetime_as_string datetime_data deg2rad degrees delete diag diag_indices "
	 "diag_indices_from diagflat diagonal diff digitize divide divmod dot double "
	 "dsplit dstack dtype e ediff1d einsum einsum_path empty empty_like equal errstate "
	 "euler_gamma exceptions exp exp2 expand_dims expm1 extract eye fabs fft "
	 "fill_diagonal finfo fix flatiter flatnonzero flexible flip fliplr flipud float "
	 "float128 float16 float32 float64 float_ float_power floating floor floor_divide "
	 "fmax fmin fmod format_float_positional format_float_scientific frexp frombuffer "
	 "fromfile fromfunction fromiter frompyfunc fromregex fromstring full full_like "
	 "gcd generic genfromtxt geomspace get_printoptions geterr gradient greater "
	 "greater_equal half hamming hanning heaviside histogram histogram2d "
	 "histogram_bin_edges histogramdd hsplit hstack hypot i0 identity iinfo imag in1d "
	 "index_exp indices inexact inf infty inner insert int int16 int32 int64 int8 int_ "
	 "intc integer interp intersect1d intp invert is_busday isclose iscomplex "
	 "iscomplexobj isdtype isfinite isfortran isin isinf isnan isnat isneginf isposinf "
	 "isreal isrealobj isscalar issubdtype iterable ix_ kaiser kron lcm ldexp "
	 "left_shift less less_equal lexsort lib linalg linspace little_endian loadtxt log "
	 "log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or "
	 "logical_xor logspace long long_long longcomplex longdouble longfloat longlong ma "
	 "mask_indices mat matmul matrix matrix_transpose matvec max maximum "
	 "may_share_memory mean median meshgrid mgrid min min_scalar_type minimum "
	 "mintypecode mod modf moveaxis msort multiply nan nan_to_num nanargmax nanargmin "
	 "nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod "
	 "nanquantile nanstd nansum nanvar ndenumerate ndim ndindex nditer negative "
	 "newaxis nextafter nonzero not_equal number object object_ ogrid ones ones_like "
	 "outer packbits pad partition percentile permute_dims pi piecewise place poly "
	 "poly1d polyadd polyder polydiv polyfit polyint polymul polynomial polysub "
	 "polyval positive pow power printoptions prod product promote_types ptp put "
	 "put_along_axis putmask quantile r_ rad2deg radians random ravel "
	 "ravel_multi_index real real_if_close rec reciprocal remainder repeat reshape "
	 "resize result_type right_shift rint roll rollaxis roots rot90 round round_ "
	 "row_stack s_ save savetxt savez savez_compressed searchsorted select "
	 "set_printoptions setdiff1d seterr setxor1d shape shares_memory short sign "
	 "signbit signedinteger sin sinc single singlecomplex sinh size sometrue sort "
	 "sort_complex spacing split sqrt square squeeze stack std str str_ string_ "
	 "subtract sum swapaxes take take_along_axis tan tanh tensordot testing tile "
	 "timedelta64 trace transpose trapezoid trapz tri tril tril_indices "
	 "tril_indices_from trim_zeros triu triu_indices triu_indices_from true_divide "
	 "trunc typecodes typing ubyte ufunc uint uint16 uint32 uint64 uint8 uintc uintp "
	 "ulong ulonglong unicode_ union1d unique unique_all unique_counts unique_inverse "
	 "unique_values unpackbits unravel_index unsignedinteger unstack unwrap ushort "
	 "vander var vdot vecdot vecmat vectorize void vsplit vstack where zeros "
	 "zeros_like",
	 NULL, NULL},
	{"numpy.exceptions", PLAIN_DATA,
	 "AxisError ComplexWarning DTypePromotionError RankWarning "
	 "VisibleDeprecationWarning",
	 NULL, NULL},
	{"numpy.random", PLAIN_DATA,
	 "BitGenerator Generator MT19937 PCG64 PCG64DXSM Philox RandomState SFC64 "
	 "SeedSequence beta binomial bytes chisquare choice default_rng dirichlet "
	 "exponential f gamma geometric get_state gumbel hypergeometric laplace logistic "
	 "lognormal logseries multinomial multivariate_normal negative_binomial "
	 "noncentral_chisquare noncentral_f normal pareto permutation poisson power rand "
	 "randint randn random random_integers random_sample ranf rayleigh sample seed "
	 "set_state shuffle standard_cauchy standard_exponential standard_gamma "
	 "standard_normal standard_t triangular uniform vonmises wald weibull zipf",
	 NULL, NULL},
	{"numpy.linalg", PLAIN_DATA,
	 "LinAlgError cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq "
	 "matmul matrix_norm matrix_power matrix_rank matrix_transpose multi_dot norm "
	 "outer pinv qr slogdet solve svd svdvals tensordot tensorinv tensorsolve trace "
	 "vecdot vector_norm",
	 NULL, NULL},
	{"numpy.fft", PLAIN_DATA,
	 "fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft "
	 "irfft2 irfftn rfft rfft2 rfftfreq rfftn",
	 NULL, NULL},
	{"numpy.ma", PLAIN_DATA,
	 "MAError MaskError MaskType MaskedArray abs absolute add all allclose allequal "
	 "alltrue amax amin angle anom anomalies any append apply_along_axis "
	 "apply_over_axes arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh "
	 "argmax argmin argsort around array asanyarray asarray atleast_1d atleast_2d "
	 "atleast_3d average bitwise_and bitwise_or bitwise_xor bool_ ceil choose clip "
	 "clump_masked clump_unmasked column_stack common_fill_value compress "
	 "compress_cols compress_nd compress_rowcols compress_rows compressed concatenate "
	 "conjugate convolve copy corrcoef correlate cos cosh count count_masked cov "
	 "cumprod cumsum default_fill_value diag diagflat diagonal diff divide dot dstack "
	 "ediff1d empty empty_like equal exp expand_dims fabs filled fix_invalid "
	 "flatnotmasked_contiguous flatnotmasked_edges flatten_mask "
	 "flatten_structured_array floor floor_divide fmod fromfunction getdata getmask "
	 "getmaskarray greater greater_equal harden_mask hsplit hstack hypot identity in1d "
	 "indices inner innerproduct intersect1d isMA isMaskedArray is_mask is_masked "
	 "isarray isin left_shift less less_equal log log10 log2 logical_and logical_not "
	 "logical_or logical_xor make_mask make_mask_descr make_mask_none mask_cols "
	 "mask_or mask_rowcols mask_rows masked masked_all masked_all_like masked_array "
	 "masked_equal masked_greater masked_greater_equal masked_inside masked_invalid "
	 "masked_less masked_less_equal masked_not_equal masked_object masked_outside "
	 "masked_print_option masked_singleton masked_values masked_where max maximum "
	 "maximum_fill_value mean median min minimum minimum_fill_value mod mr_ multiply "
	 "ndenumerate ndim negative nomask nonzero not_equal notmasked_contiguous "
	 "notmasked_edges ones ones_like outer outerproduct polyfit power prod product ptp "
	 "put putmask ravel remainder repeat reshape resize right_shift round round_ "
	 "row_stack set_fill_value setdiff1d setxor1d shape sin sinh size soften_mask "
	 "sometrue sort sqrt squeeze stack std subtract sum swapaxes take tan tanh trace "
	 "transpose true_divide union1d unique vander var vstack where zeros zeros_like",
	 NULL, NULL},
	{"numpy.polynomial", PLAIN_DATA,
	 "Chebyshev Hermite HermiteE Laguerre Legendre Polynomial chebyshev hermite "
	 "hermite_e laguerre legendre polynomial set_default_printstyle",
	 NULL, NULL},
	{"numpy.polynomial.chebyshev numpy.polynomial.hermite numpy.polynomial.hermite_e "
	 "numpy.polynomial.laguerre numpy.polynomial.legendre numpy.polynomial.polynomial",
	 PLAIN_DATA,
	 "Chebyshev Hermite HermiteE Laguerre Legendre Polynomial cheb2poly chebadd "
	 "chebcompanion chebder chebdiv chebdomain chebfit chebfromroots chebgauss "
	 "chebgrid2d chebgrid3d chebint chebinterpolate chebline chebmul chebmulx chebone "
	 "chebpow chebpts1 chebpts2 chebroots chebsub chebtrim chebval chebval2d chebval3d "
	 "chebvander chebvander2d chebvander3d chebweight chebx chebzero herm2poly hermadd "
	 "hermcompanion hermder hermdiv hermdomain herme2poly hermeadd hermecompanion "
	 "hermeder hermediv hermedomain hermefit hermefromroots hermegauss hermegrid2d "
	 "hermegrid3d hermeint hermeline hermemul hermemulx hermeone hermepow hermeroots "
	 "hermesub hermetrim hermeval hermeval2d hermeval3d hermevander hermevander2d "
	 "hermevander3d hermeweight hermex hermezero hermfit hermfromroots hermgauss "
	 "hermgrid2d hermgrid3d hermint hermline hermmul hermmulx hermone hermpow "
	 "hermroots hermsub hermtrim hermval hermval2d hermval3d hermvander hermvander2d "
	 "hermvander3d hermweight hermx hermzero lag2poly lagadd lagcompanion lagder "
	 "lagdiv lagdomain lagfit lagfromroots laggauss laggrid2d laggrid3d lagint lagline "
	 "lagmul lagmulx lagone lagpow lagroots lagsub lagtrim lagval lagval2d lagval3d "
	 "lagvander lagvander2d lagvander3d lagweight lagx lagzero leg2poly legadd "
	 "legcompanion legder legdiv legdomain legfit legfromroots leggauss leggrid2d "
	 "leggrid3d legint legline legmul legmulx legone legpow legroots legsub legtrim "
	 "legval legval2d legval3d legvander legvander2d legvander3d legweight legx "
	 "legzero poly2cheb poly2herm poly2herme poly2lag poly2leg polyadd polyder polydiv "
	 "polydomain polyfit polyfromroots polygrid2d polygrid3d polyint polyline polymul "
	 "polymulx polyone polypow polyroots polysub polytrim polyval polyval2d polyval3d "
	 "polyvalfromroots polyvander polyvander2d polyvander3d polyx polyzero",
	 NULL, NULL},
	{"numpy.char", PLAIN_DATA,
	 "add array asarray capitalize center count decode encode endswith equal "
	 "expandtabs find greater greater_equal index isalnum isalpha isdecimal isdigit "
	 "islower isnumeric isspace istitle isupper join less less_equal ljust lower "
	 "lstrip mod multiply not_equal partition replace rfind rindex rjust rpartition "
	 "rsplit rstrip split splitlines startswith str_len strip swapcase title translate "
	 "upper zfill",
	 NULL, NULL},
	{"numpy.rec", PLAIN_DATA, "fromarrays fromrecords", NULL, NULL},
	{"numpy.testing", PLAIN_DATA,
	 "assert_ assert_allclose assert_almost_equal assert_approx_equal "
	 "assert_array_almost_equal assert_array_almost_equal_nulp assert_array_compare "
	 "assert_array_equal assert_array_less assert_array_max_ulp assert_equal "
	 "assert_no_gc_cycles assert_no_warnings assert_raises assert_raises_regex "
	 "assert_string_equal assert_warns suppress_warnings",
	 NULL, NULL},
	{"numpy.typing", PLAIN_DATA, "ArrayLike DTypeLike NDArray", NULL, NULL},
	{"numpy.lib", PLAIN_DATA, "stride_tricks", NULL, NULL},
	{"numpy.lib.stride_tricks", PLAIN_DATA, "broadcast_arrays broadcast_to sliding_window_view",
	 NULL, NULL},
	{"pandas", PLAIN_DATA,
	 "ArrowDtype BooleanDtype Categorical CategoricalDtype CategoricalIndex DataFrame "
	 "DateOffset DatetimeIndex DatetimeTZDtype ExcelFile ExcelWriter Flags "
	 "Float32Dtype Float64Dtype Grouper Index IndexSlice Int16Dtype Int32Dtype "
	 "Int64Dtype Int8Dtype Interval IntervalDtype IntervalIndex MultiIndex NA NaT "
	 "NamedAgg Period PeriodDtype PeriodIndex RangeIndex Series SparseDtype "
	 "StringDtype Timedelta TimedeltaIndex Timestamp UInt16Dtype UInt32Dtype "
	 "UInt64Dtype UInt8Dtype api array bdate_range concat crosstab cut date_range "
	 "describe_option errors factorize from_dummies get_dummies get_option infer_freq "
	 "interval_range io isna isnull json_normalize lreshape melt merge merge_asof "
	 "merge_ordered notna notnull offsets option_context options period_range pivot "
	 "pivot_table plotting qcut read_csv read_excel read_fwf read_html read_json "
	 "read_parquet read_sas read_spss read_sql read_sql_query read_sql_table "
	 "read_stata read_table read_xml reset_option set_eng_float_format set_option "
	 "testing timedelta_range to_datetime to_numeric to_timedelta tseries unique "
	 "value_counts wide_to_long",
	 NULL, NULL},
	{"pandas.options", PLAIN_DATA, "display mode", NULL, NULL},
	{"pandas.api", PLAIN_DATA, "types", NULL, NULL},
	{"pandas.api.types", PLAIN_DATA,
	 "CategoricalDtype DatetimeTZDtype IntervalDtype PeriodDtype infer_dtype is_* "
	 "pandas_dtype union_categoricals",
	 NULL, NULL},
	{"pandas.errors", PLAIN_DATA,
	 "AbstractMethodError AccessorRegistrationWarning AttributeConflictWarning "
	 "CSSWarning CategoricalConversionWarning ClosedFileError DataError DatabaseError "
	 "DtypeWarning DuplicateLabelError EmptyDataError IncompatibilityWarning "
	 "IndexingError IntCastingNaNError InvalidColumnName InvalidIndexError MergeError "
	 "NullFrequencyError NumExprClobberingError NumbaUtilError OptionError "
	 "OutOfBoundsDatetime OutOfBoundsTimedelta ParserError ParserWarning "
	 "PerformanceWarning PossibleDataLossError PossiblePrecisionLoss "
	 "PyperclipException PyperclipWindowsException SettingWithCopyError "
	 "SettingWithCopyWarning SpecificationError UndefinedVariableError "
	 "UnsortedIndexError UnsupportedFunctionCall ValueLabelTypeMismatch",
	 NULL, NULL},
	{"pandas.io", PLAIN_DATA, "json", NULL, NULL},
	{"pandas.io.json", PLAIN_DATA, "json_normalize read_json", NULL, NULL},
	{"pandas.tseries", PLAIN_DATA, "frequencies holiday offsets", NULL, NULL},
	{"pandas.tseries.frequencies", PLAIN_DATA, "infer_freq to_offset", NULL, NULL},
	{"pandas.tseries.holiday", PLAIN_DATA,
	 "AbstractHolidayCalendar Holiday USFederalHolidayCalendar get_calendar "
	 "nearest_workday",
	 NULL, NULL},
	{"pandas.tseries.offsets pandas.offsets", PLAIN_DATA,
	 "BDay BHour BMonthBegin BMonthEnd BQuarterBegin BQuarterEnd BYearBegin BYearEnd "
	 "BaseOffset BusinessDay BusinessHour BusinessMonthBegin BusinessMonthEnd "
	 "CBMonthBegin CBMonthEnd CDay CustomBusinessDay CustomBusinessHour "
	 "CustomBusinessMonthBegin CustomBusinessMonthEnd DateOffset Day Easter FY5253 "
	 "FY5253Quarter HalfYearEnd Hour LastWeekOfMonth Micro Milli Minute MonthBegin "
	 "MonthEnd Nano QuarterBegin QuarterEnd Second SemiMonthBegin SemiMonthEnd Tick "
	 "Week WeekOfMonth YearBegin YearEnd",
	 NULL, NULL},
	{"pandas.plotting", PLAIN_DATA,
	 "PlotAccessor andrews_curves autocorrelation_plot bootstrap_plot boxplot "
	 "boxplot_frame boxplot_frame_groupby deregister_matplotlib_converters hist_frame "
	 "hist_series lag_plot parallel_coordinates plot_params radviz "
	 "register_matplotlib_converters scatter_matrix table",
	 NULL, NULL},
	{"pandas.testing", PLAIN_DATA,
	 "assert_extension_array_equal assert_frame_equal assert_index_equal "
	 "assert_series_equal",
	 NULL, NULL},
	/* Packages: what data work asks of them */
	{"bs4", PLAIN_ONLY, "BeautifulSoup Comment NavigableString Tag", NULL, NULL},
	{"dateutil", PLAIN_ONLY, "parser relativedelta", NULL, NULL},
	{"dateutil.parser", PLAIN_ONLY, "ParserError isoparse parse", NULL, NULL},
	{"dateutil.relativedelta", PLAIN_ONLY, "FR MO SA SU TH TU WE relativedelta", NULL, NULL},
	{"openpyxl", PLAIN_ONLY, "Workbook load_workbook", NULL, NULL},
	{"requests", PLAIN_ONLY,
	 "ConnectionError HTTPError RequestException Response Session Timeout codes delete "
	 "exceptions get head options patch post put request",
	 NULL, NULL},
	{"requests.exceptions", PLAIN_ONLY, "ConnectionError HTTPError RequestException Timeout",
	 NULL, NULL},
	{"tabulate", PLAIN_ONLY, "tabulate", NULL, NULL},
	{"tqdm", PLAIN_ONLY, "auto tqdm trange", NULL, NULL},
	{"tqdm.auto", PLAIN_ONLY, "tqdm trange", NULL, NULL},
	{"statsmodels", PLAIN_ONLY, "formula", NULL, NULL},
	{"statsmodels.formula", PLAIN_ONLY, "api", NULL, NULL},
	{"statsmodels.formula.api", PLAIN_ONLY, "", NULL,
	 "gee glm glmgam gls glsar logit mixedlm mnlogit negativebinomial ols phreg poisson "
	 "probit quantreg rlm wls"},
	{"yaml", PLAIN_ONLY,
	 "safe_load safe_load_all safe_dump safe_dump_all dump dump_all YAMLError "
	 "MarkedYAMLError SafeLoader CSafeLoader BaseLoader CBaseLoader SafeDumper CSafeDumper "
	 "Dumper CDumper scanner parser error compose scan parse emit serialize __version__ "
	 "__with_libyaml__",
	 NULL, NULL},
};
const size_t plain_packagec = ARRAY_SIZE(plain_packages);
